import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { repositoryPath, writeFault } from './paths.ts';
import type { WritePolicy } from './write-policy.ts';

const root: WritePolicy = { docsFolder: '', allow: [] };
const everything: WritePolicy = { docsFolder: '', allow: ['**', '**/*', '.*/**', '**/.*', '**/.*/**'] };

describe('what a page is made of may be written', () => {
  test.each([
    'index.mdx',
    'guides/agents.mdx',
    'guides/how-to.md',
    'docs.json',
    'mint.json',
    'api/openapi.yaml',
    'api/openapi.yml',
    'images/logo.svg',
    'style.css',
    'llms.txt',
    'snippets/note.mdx',
    'ja/ガイド.mdx',
    'guides/github.mdx',
    'platform/packages.json',
    'gitlab-ci.mdx',
    'reference/package.mdx',
  ])('%s', (path) => {
    expect(writeFault(path, root)).toBeNull();
    expect(writeFault(path, { docsFolder: 'a/docs', allow: [] })).toBeNull();
  });
});

const DENIED_ALWAYS = [
  '',
  '/etc/passwd',
  '../x.mdx',
  'guides/../../x.mdx',
  './x.mdx',
  'a//b.mdx',
  'a\\b.mdx',
  'a\0.mdx',
  'a\nb.mdx',
  `${'a'.repeat(256)}.mdx`,
  '.git/config',
  '.GIT/hooks/pre-commit',
  'guides/.git/config',
  'git~1/config',
  '.git /config',
  '.git./config',
  '.g\u200cit/config',
  '．git/config',
  '.git::$INDEX_ALLOCATION/config',
  '.gitignore',
  '.gitattributes',
  'guides/.gitattributes',
  '.gitmodules',
  '.github/workflows/ci.yml',
  '.GitHub/workflows/ci.yml',
  '.github /workflows/ci.yml',
  '.g\u{E0069}thub/workflows/ci.yml',
  '．github/workflows/ci.yml',
  '․github/workflows/ci.yml',
  'GITHUB~1/workflows/ci.yml',
  '.github::$DATA/x.yml',
  '.gitlab-ci.yml',
  '.GITLAB-CI.YML',
  '.gitlab/merge_request_templates/Default.md',
  '.gitea/workflows/a.yaml',
  '.forgejo/workflows/a.yaml',
  '.circleci/config.yml',
  '.travis.yml',
  '.drone.yml',
  '.woodpecker.yml',
  '.woodpecker/build.yaml',
  '.buildkite/pipeline.yml',
  '.cirrus.yml',
  '.builds/x.yml',
  '.azure-pipelines/x.yml',
  'azure-pipelines.yml',
  'azure-pipelines-docs.yml',
  'bitbucket-pipelines.yml',
  'appveyor.yml',
  'buildspec.yml',
  'cloudbuild.yaml',
  'Jenkinsfile',
  'Jenkinsfile.txt',
  '.pre-commit-config.yaml',
  '.husky/pre-push',
  'CODEOWNERS',
  'docs/CODEOWNERS',
  'renovate.json',
  'pull_request_template.md',
  'PULL_REQUEST_TEMPLATE/default.md',
  'AGENTS.md',
  'agents.md',
  'Agents.md',
  'AGENTS.override.md',
  'guides/AGENTS.md',
  'CLAUDE.md',
  'CLAUDE.local.md',
  'GEMINI.md',
  'copilot-instructions.md',
  'guides/style.instructions.md',
  'skill.md',
  '.cursorrules',
  '.cursor/rules/a.mdc',
  '.claude/settings.json',
  '.windsurfrules',
  '.clinerules/a.md',
  '.mcp.json',
  '.mintlify/AGENTS.md',
  '.mintlify/skills/x/page.mdx',
  '.offprint/AGENTS.md',
  '.Offprint/agents.md',
  'README.md::$DATA',
  'page.mdx ',
  'page.mdx.',
  ' page.mdx',
  'a /page.mdx',
  '%2e%2e/page.mdx',
  'a%2Fpage.mdx',
  'what?.mdx',
  'a\u200bb.mdx',
  'x\u202etxt.mdx',
  'tag\u{E0041}.mdx',
];

const DENIED_UNLESS_ALLOWED = [
  'package.json',
  'site/Package.JSON',
  'package-lock.json',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'requirements.txt',
  'requirements-dev.txt',
  'composer.json',
  'deno.json',
  'tsconfig.json',
  'yarn.lock',
  'go.mod',
  'Cargo.toml',
  'Gemfile',
  'Dockerfile',
  'docker-compose.yml',
  'compose.prod.yaml',
  'Makefile',
  'vercel.json',
  'netlify.toml',
  '.env',
  '.npmrc',
  '.vscode/settings.json',
  '.hidden/page.mdx',
  '.prettierrc.json',
  'scripts/run.sh',
  'analytics.js',
  'snippets/widget.jsx',
  'snippets/widget.tsx',
  'page.html',
  'tool.py',
  'LICENSE',
  'page．mdx',
  'binary.exe',
];

describe('CI, Git, agent instructions and what leaves the folder may never be written', () => {
  test.each(DENIED_ALWAYS)('%j', (path) => {
    expect(writeFault(path, root)).not.toBeNull();
    expect(writeFault(path, everything)).not.toBeNull();
    expect(writeFault(`guides/${path}`, everything)).not.toBeNull();
    expect(writeFault(path, { ...everything, docsFolder: 'docs' })).not.toBeNull();
  });

  test('below a docs folder that is itself such a folder nothing may be written', () => {
    expect(writeFault('index.mdx', { docsFolder: '.github/docs', allow: ['**'] })).toContain('CI');
    expect(writeFault('index.mdx', { docsFolder: '../docs', allow: [] })).not.toBeNull();
    expect(writeFault('index.mdx', { docsFolder: '.docs', allow: [] })).toBeNull();
  });
});

describe('content other than docs needs the permission of the project', () => {
  test.each(DENIED_UNLESS_ALLOWED)('%s', (path) => {
    expect(writeFault(path, root)).not.toBeNull();
    expect(writeFault(path, everything)).toBeNull();
    expect(writeFault(path, { docsFolder: '', allow: ['other/**'] })).not.toBeNull();
  });

  test('globs are relative to the docs root and never negate', () => {
    const policy: WritePolicy = { docsFolder: 'docs', allow: ['snippets/**/*.jsx', '!**/*.mdx'] };
    expect(writeFault('snippets/a/b.jsx', policy)).toBeNull();
    expect(writeFault('other/b.jsx', policy)).not.toBeNull();
    expect(writeFault('scripts/run.sh', policy)).not.toBeNull();
  });
});

test('a name in any case, width and with any invisible characters is the same name', () => {
  const invisible = fc.constantFrom('', '\u200b', '\u200d', '\ufe0f', '\u{E0061}', '\u00ad', '\u2060');
  const spell = (name: string) =>
    fc
      .tuple(
        ...[...name].map((char) =>
          fc.tuple(fc.constantFrom('as', 'upper', 'wide'), invisible, fc.constant(char)),
        ),
      )
      .map((chars) =>
        chars
          .map(([how, after, char]) => {
            const code = char.codePointAt(0) ?? 0;
            const wide =
              how === 'wide' && code > 0x20 && code < 0x7f ? String.fromCodePoint(code + 0xfee0) : char;
            return (how === 'upper' ? char.toUpperCase() : wide) + after;
          })
          .join(''),
      );
  const names = fc.constantFrom('.github', '.git', '.gitlab-ci.yml', 'agents.md', 'codeowners', '.offprint');
  fc.assert(
    fc.property(names.chain(spell), fc.constantFrom('', '/workflows/ci.yml', '/x.mdx'), (name, rest) => {
      expect(writeFault(name + rest, everything)).not.toBeNull();
      expect(writeFault(`guides/${name}${rest}`, everything)).not.toBeNull();
    }),
    { numRuns: 300 },
  );
});

test('repositoryPath goes below the docs folder', () => {
  expect(repositoryPath('a/b.mdx', '')).toBe('a/b.mdx');
  expect(repositoryPath('a/b.mdx', 'site/docs')).toBe('site/docs/a/b.mdx');
});
