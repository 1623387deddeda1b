import picomatch from 'picomatch';
import { pathFault } from '../../platform/git/tree-path.ts';
import type { WritePolicy } from './write-policy.ts';

/**
 * What a page is made of: text, data, style sheets and pictures. Programs (`.js`, `.jsx`, `.ts`, `.html`, ...) are
 * not among them: they run in the browser of every reader, so that a project has to say beforehand that a job may
 * write them.
 */
const DOCS_TYPES = new Set(
  'md mdx markdown json jsonc yaml yml txt csv css svg png jpg jpeg gif webp avif ico mp4 webm mp3 woff woff2 ttf otf pdf'.split(
    ' ',
  ),
);

interface Rule {
  reason: string;
  /** Matched against one folded part of a path. */
  part: RegExp;
}

/** Never written by a job, whatever a project allows, wherever they are. */
const NEVER: readonly Rule[] = [
  {
    reason: 'a file that a CI system or a forge acts on',
    part: /^\.(?:github|gitlab|gitea|forgejo|circleci|buildkite|woodpecker|drone|travis|azure-pipelines|azuredevops|semaphore|tekton|teamcity|concourse|appveyor|cirrus|harness|depot|act|bitbucket|builds?|earthly|dagger|screwdriver|codefresh|vsts-ci|sourcehut|argo|argocd|husky|lefthook|pre-commit)\b/,
  },
  {
    reason: 'a file that a CI system or a forge acts on',
    part: /^(?:azure-pipelines.*|bitbucket-pipelines|appveyor|buildspec.*|cloudbuild|codefresh|screwdriver|wercker|shippable|codemagic|bitrise|lefthook.*|jenkinsfile.*|codeowners|dependabot|mergify|renovate|(?:pull_request|merge_request|issue)_templates?)(?:\.[a-z0-9]+)?$/,
  },
  // Not only `.git`, which is an error in any path: `.gitignore`, `.gitattributes` (filters), `.gitmodules`
  // (URLs).
  { reason: 'a file of Git', part: /^\.git|^git~\d/ },
  {
    reason: 'instructions for agents',
    part: /^(?:agents?|claude|gemini|copilot|qwen|warp|crush|jules)(?:\.[a-z0-9_-]+)?\.(?:md|markdown)$|^copilot-instructions\.|\.instructions\.md$|^skill\.md$/,
  },
  {
    reason: 'instructions for agents',
    part: /^\.(?:agents?|offprint|mintlify|claude|claude-plugin|cursor|cursorrules|cursorignore|windsurf|windsurfrules|cline|clinerules|roo.*|codex|gemini|copilot|continue|continuerules|goosehints|aider.*|junie|kiro|opencode|qwen|amazonq|trae|augment|devin|openhands|rules|mcp)(?:\.[a-z0-9]+)?$/,
  },
];

/** Not docs by themselves, though their type is: a project may allow them. */
const NOT_DOCS: readonly Rule[] = [
  { reason: 'a hidden file or folder', part: /^\./ },
  {
    reason: 'a package manifest or a lock file',
    part: /^(?:package|package-lock|npm-shrinkwrap|pnpm-lock|pnpm-workspace|bun|deno|jsr|composer|lerna|nx|turbo|rush|packages\.lock|pubspec|chart|environment|conda-lock|manifest\.lock|flake)\.(?:jsonc?|ya?ml)$|^(?:[\w.-]*requirements|constraints)[\w.-]*\.txt$|^(?:[jt]sconfig|appsettings)[\w.-]*\.json$/,
  },
  {
    reason: 'a file that builds or deploys something',
    part: /^(?:(?:docker-)?compose|dockerfile|makefile|cmakelists|cmakepresets|taskfile|justfile|skaffold|kustomization|serverless|vercel|now|netlify|firebase|wrangler|amplify|apprunner|app|appspec|fly|render|procfile|heroku|samconfig|mkdocs|_config|readthedocs|babel|biome|eslintrc|tslint|components|angular|nodemon|ecosystem)(?:[.-][\w.-]*)?\.(?:jsonc?|ya?ml|txt)$/,
  },
];

/** What a name looks like once file systems have folded case, widths, blanks and invisible characters away. */
function fold(part: string): string {
  const plain = part
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '')
    .normalize('NFKC')
    .toLowerCase();
  return (plain.split(':')[0] ?? '').replace(/[. ]+$/, '').trimStart();
}

/** Blanks and dots at the ends, streams, wild cards, and what is a slash or a dot once it is decoded. */
function isOdd(part: string): boolean {
  return /^\s|[\s.]$|[<>:"|?*]|%(?:2e|2f|5c|00)/i.test(part);
}

/** Path of a docs file from the root of the repository. `docsFolder` is '' for that root. */
export function repositoryPath(path: string, docsFolder: string): string {
  return docsFolder === '' ? path : `${docsFolder}/${path}`;
}

/**
 * Why a job may not write (make, change, move, delete) this path below the docs root; null when it may. The reason
 * is a phrase to follow "is", such as `a file of Git`. Tools ask it early to tell the model; the publisher asks it
 * again, and that one counts.
 */
export function writeFault(path: string, policy: WritePolicy): string | null {
  const whole = repositoryPath(path, policy.docsFolder);
  const fault = pathFault(path) ?? pathFault(whole);
  if (fault !== null) return fault;
  if (/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}]/u.test(path)) {
    return 'a name with an invisible character';
  }
  if (path.split('/').some(isOdd)) return 'a name that some systems treat as another one';
  const folded = whole.split('/').map(fold);
  for (const part of folded) {
    if (part === '') return 'a name of only spaces and dots';
    // NTFS gives `.github` the second name `GITHUB~1`.
    if (/~\d+(?:\.[^.]*)?$/.test(part)) return 'a short name of another file';
    const rule = NEVER.find((one) => one.part.test(part));
    if (rule !== undefined) return rule.reason;
  }
  if (isAllowed(path, policy.allow)) return null;
  for (const part of path.split('/').map(fold)) {
    const rule = NOT_DOCS.find((one) => one.part.test(part));
    if (rule !== undefined) return `${rule.reason}, which this project does not allow a job to write`;
  }
  const type = /\.([^./]+)$/.exec(path.toLowerCase())?.[1] ?? '';
  if (DOCS_TYPES.has(type)) return null;
  return `${type === '' ? 'a file without an extension' : `a .${type.slice(0, 20)} file`}, which is not a docs file that a job may write`;
}

function isAllowed(path: string, globs: readonly string[]): boolean {
  return globs.some((glob) => picomatch.isMatch(path, glob, { dot: true, nonegate: true }));
}
