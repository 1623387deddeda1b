import { pathFault } from '../../platform/git/tree-path.ts';

interface Rule {
  reason: string;
  /** Matched against one folded part of a path. */
  part: RegExp;
}

const CI = 'a file that a CI system or a forge acts on';
const AGENT = 'a file that coding agents take instructions or tools from';
const BUILD = 'a file that builds, installs or deploys something';
const HIDDEN = 'a hidden file or folder';

/**
 * Names that programs read and readers of docs do not: never written, whatever they hold. This is the second layer:
 * most of them are not docs files in the first place.
 */
const NEVER: readonly Rule[] = [
  // Not only `.git`, which is an error in any path: `.gitignore`, `.gitattributes` (filters), `.gitmodules` (URLs).
  { reason: 'a file of Git', part: /^\.git(?!hub|lab|ea)|^git~\d/ },
  {
    reason: CI,
    part: /^\.(?:github|gitlab|gitea|forgejo|circleci|buildkite|woodpecker|drone|travis|azure|ado|semaphore|tekton|teamcity|concourse|appveyor|cirrus|harness|depot|bitbucket|builds?|vela|onedev|rwx|husky|lefthook|pre-commit)/,
  },
  {
    reason: CI,
    part: /^(?:azure-pipelines.*|bitbucket-pipelines|appveyor|buildspec.*|cloudbuild|codefresh|screwdriver|wercker|shippable|codemagic|bitrise|lefthook.*|jenkinsfile.*|codeowners|dependabot|mergify|renovate|(?:pull_request|merge_request|issue)_templates?)(?:\.[a-z0-9]+)?$|^bamboo-specs$|^(?:action\.ya?ml|dagger\.json)$/,
  },
  {
    reason: AGENT,
    part: /^\.(?:agents?|offprint|mintlify|claude|cursor|windsurf|cline|roo|codex|gemini|copilot|continue|goose|aider|junie|kiro|kilo|opencode|qwen|amazonq|trae|augment|devin|openhands|factory|tabnine|aiassistant|rules|mcp)/,
  },
  {
    reason: AGENT,
    part: /^(?:agents?|claude|gemini|copilot|qwen|warp|crush|jules)(?:\.[a-z0-9_-]+)?\.(?:md|markdown)$|^copilot-instructions\.|\.(?:instructions|chatmode)\.md$|\.mdc$|^skill\.md$|^memory-bank$/,
  },
  {
    reason: AGENT,
    part: /^(?:mcp|mcp[-_.](?:config|servers?|settings)|opencode|crush|gemini-extension|claude_desktop_config)\.(?:jsonc?|ya?ml|toml)$/,
  },
  {
    reason: BUILD,
    part: /^(?:package|package-lock|npm-shrinkwrap|pnpm-lock|pnpm-workspace|bun|deno|jsr|composer|lerna|nx|turbo|rush|packages\.lock|pubspec|chart|environment|conda-lock|manifest\.lock|flake|devbox|devcontainer|devfile|cargo|pyproject|release-please-config)\.(?:jsonc?|ya?ml|toml|lock)$|^(?:[\w.-]*requirements|constraints)[\w.-]*\.(?:txt|in)$|^(?:[jt]sconfig|appsettings)[\w.-]*\.json$|^(?:runtime|cmakelists|meson_options)\.txt$/,
  },
  {
    reason: BUILD,
    part: /^(?:(?:docker-)?compose|dockerfile|containerfile|makefile|cmakepresets|taskfile|justfile|procfile|skaffold|kustomization|helmfile|serverless|vercel|netlify|firebase|wrangler|samconfig|mkdocs|_config|readthedocs|babel|biome|eslintrc|tslint|nodemon)(?:[.-][\w.-]*)?\.(?:jsonc?|ya?ml|toml|txt)$|\.tf(?:vars)?\.json$|\.code-workspace$/,
  },
  // A program of a build tool is known by how it is named: `vite.config.ts`, `gulpfile.js`, `dangerfile.ts`.
  {
    reason: BUILD,
    part: /(?:^|[.-])(?:config|conf|setup|rc)\.[cm]?[jt]sx?$|^(?:.*rc|.*file|sidebars|server|karma|conftest)\.[cm]?[jt]sx?$/,
  },
  { reason: HIDDEN, part: /^\./ },
];

/** Names that may be those of docs, so that existing files are not affected: only new files may not have them. */
const NEVER_NEW: readonly Rule[] = [
  {
    reason: CI,
    part: /^(?:.*[-_.])?(?:ci|cicd|pipelines?|workflows?|build|release|deploy|jobs|tasks|bamboo|concourse|tekton|drone|woodpecker|travis|circle|buddy|vela)\.(?:json5?|ya?ml|toml)$/,
  },
  {
    reason: AGENT,
    part: /^(?:codex|opencode|cursor|windsurf|cline|aider|goose|devin|replit|amp|kiro|junie|roo|llms?|iflow|codebuddy|augment|openhands|conventions|instructions?|skills|prompts?|rules|memory|memories|guidelines|constitution|system-prompt|knowledge|bugbot|persona|soul|todo|tasks|plan|readme|contributing|security|support|governance|code_of_conduct)(?:\.[a-z0-9_-]+)?\.(?:md|markdown)$|\.(?:prompt|agent|rules?|skill|toolset)s?\.(?:mdx?|markdown)$/,
  },
  {
    reason: AGENT,
    part: /^(?:claude|plugin|marketplace|cursor|windsurf|aider|codex|goose|cody|continue|kilo|roo|agents?|skills?|tools|smithery|server|glama|dxt|manifest|config|settings)(?:[.-][\w.-]*)?\.(?:jsonc?|ya?ml|toml)$/,
  },
  {
    reason: BUILD,
    part: /^(?:now|amplify|apprunner|app|appspec|fly|render|railway|heroku|components|angular|ecosystem|project|workspace|values|global|k8s|deployment|template|pulumi|ansible|playbook|site|tilt|main|service|nuget|commitlint|changeset)(?:[.-][\w.-]*)?\.(?:jsonc?|ya?ml|toml|txt)$/,
  },
];

/** Names of pages that read as instructions to agents unless the navigation lists them. */
const LIKE_INSTRUCTIONS =
  /^(?:agents?|claude|gemini|copilot|qwen|warp|crush|conventions|copilot-instructions|skill)\.mdx$/;

/** What Windows takes for a device, whatever the extension. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:\..*)?$/i;

/** What a name looks like once file systems have folded case, widths, spaces and invisible characters. */
function fold(part: string): string {
  const plain = part.replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '').normalize('NFKC');
  // Upper case first: a dotless i and a long s become the letters that they stand for.
  const folded = plain
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKC')
    .replace(/\u0307/g, '');
  return (folded.split(':')[0] ?? '').replace(/[. ]+$/, '').trimStart();
}

/** Spaces and dots at the ends, streams, wild cards, and what is a slash or a dot once it is decoded. */
function isOdd(part: string): boolean {
  return /^\s|[\s.]$|[<>:"|?*]|%(?:2e|2f|5c|00)/i.test(part);
}

/** Path of a docs file from the root of the repository. `docsFolder` is '' for that root. */
export function repositoryPath(path: string, docsFolder: string): string {
  return docsFolder === '' ? path : `${docsFolder}/${path}`;
}

/**
 * Why no job may touch a path, by its name alone; null when the name is none of those. The reason is a phrase to follow
 * "is", such as `a file of Git`.
 */
export function nameFault(path: string, docsFolder: string): string | null {
  const whole = repositoryPath(path, docsFolder);
  const fault = pathFault(path) ?? pathFault(whole);
  if (fault !== null) return fault;
  if (/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}]/u.test(path)) {
    return 'a name with an invisible character';
  }
  if (path.split('/').some(isOdd)) return 'a name that some systems treat as another one';
  const own = path.split('/').length;
  const parts = whole.split('/').map(fold);
  for (const [index, part] of parts.entries()) {
    if (part === '') return 'a name of only spaces and dots';
    // NTFS gives `.github` the second name `GITHUB~1`.
    if (/~\d+(?:\.[^.]*)?$/.test(part)) return 'a short name of another file';
    const rule = NEVER.find((one) => one.part.test(part));
    // The folder of the docs may be hidden.
    if (rule !== undefined && (rule.reason !== HIDDEN || index >= parts.length - own)) return rule.reason;
  }
  return null;
}

/** As nameFault, for a name that a file does not have yet. */
export function newNameFault(path: string): string | null {
  if (path !== path.normalize('NFC'))
    return 'a name that is not in the Unicode form NFC, which some systems store as another one';
  if (/%[0-9a-f]{2}/i.test(path)) return 'a name with a percent encoding';
  const parts = path.split('/');
  if (parts.some((part) => DEVICE.test(part.trim()))) return 'a name of a device on Windows';
  const name = fold(parts.at(-1) ?? '');
  return NEVER_NEW.find((one) => one.part.test(name))?.reason ?? null;
}

/** Whether a page has a name that people and tools take for instructions to coding agents. */
export function isLikeInstructions(path: string): boolean {
  return LIKE_INSTRUCTIONS.test(fold(path.split('/').at(-1) ?? ''));
}
