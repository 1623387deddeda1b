import { expect, test } from 'vitest';
import { commitLink, sourceLinks } from './source-link.ts';

const commit = '9b1c7f0e5d3a2b4c6d8e9f0a1b2c3d4e5f607182';
const link = (repository: string, file = 'guides/start.mdx', line: number | null = 12, folder = '') =>
  sourceLinks({ repository, folder, commit })(file, line);

const GITHUB = `https://github.com/acme/docs/blob/${commit}/guides/start.mdx?plain=1#L12`;
const GITLAB = `https://gitlab.com/group/sub/docs/-/blob/${commit}/guides/start.mdx?plain=1#L12`;
const AZURE = `?path=/guides/start.mdx&version=GC${commit}&line=12&lineEnd=13&lineStartColumn=1&lineEndColumn=1&lineStyle=plain&_a=contents`;

test.each([
  ['https://github.com/acme/docs', GITHUB],
  ['https://github.com/acme/docs.git', GITHUB],
  ['https://github.com/acme/docs/', GITHUB],
  ['git@github.com:acme/docs.git', GITHUB],
  ['git@github.com:/acme/docs', GITHUB],
  ['ssh://git@ssh.github.com:443/acme/docs.git', GITHUB],
  ['https://acme.ghe.com/acme/docs', GITHUB.replace('github.com', 'acme.ghe.com')],
  ['https://github.example.com:8443/acme/docs', GITHUB.replace('github.com', 'github.example.com:8443')],
  ['https://gitlab.com/group/sub/docs.git', GITLAB],
  ['git@altssh.gitlab.com:group/sub/docs', GITLAB],
  [
    'http://gitlab.example.com/group/sub/docs.git',
    GITLAB.replace('https://gitlab.com', 'http://gitlab.example.com'),
  ],
  [
    'https://codeberg.org/acme/docs',
    `https://codeberg.org/acme/docs/src/commit/${commit}/guides/start.mdx?display=source#L12`,
  ],
  [
    'ssh://git@forgejo.example.com:2222/acme/docs.git',
    `https://forgejo.example.com/acme/docs/src/commit/${commit}/guides/start.mdx?display=source#L12`,
  ],
  [
    'git@bitbucket.org:acme/docs.git',
    `https://bitbucket.org/acme/docs/src/${commit}/guides/start.mdx#lines-12`,
  ],
  [
    'https://git.example.com/scm/DOCS/site.git',
    `https://git.example.com/projects/DOCS/repos/site/browse/guides/start.mdx?at=${commit}#12`,
  ],
  [
    'https://git.example.com/scm/~ada/site.git',
    `https://git.example.com/users/ada/repos/site/browse/guides/start.mdx?at=${commit}#12`,
  ],
  [
    'https://dev.azure.com/acme/My%20Docs/_git/site',
    `https://dev.azure.com/acme/My%20Docs/_git/site${AZURE}`,
  ],
  ['https://acme.visualstudio.com/docs/_git/site', `https://acme.visualstudio.com/docs/_git/site${AZURE}`],
  ['git@ssh.dev.azure.com:v3/acme/docs/site', `https://dev.azure.com/acme/docs/_git/site${AZURE}`],
])('a warning of %s leads to the line on its forge', (repository, expected) => {
  expect(link(repository)).toBe(expected);
});

test.each([
  ['https://git.example.com/acme/docs'],
  ['git@git.example.com:acme/docs'],
  ['https://notgithub.com/acme/docs'],
  ['https://github.com/acme'],
  ['https://dev.azure.com/acme/docs'],
  ['/srv/docs'],
  [''],
])('%s has no page that is known', (repository) => {
  expect(link(repository)).toBeNull();
});

test('the folder of the project comes first, each part is percent-encoded, and a file may have no line', () => {
  const repository = 'https://github.com/acme/docs';
  const at = (file: string, line: number | null, folder: string) => link(repository, file, line, folder);
  const blob = `https://github.com/acme/docs/blob/${commit}`;
  expect(at('a b/100%/é?#.mdx', 3, 'site/docs/')).toBe(
    `${blob}/site/docs/a%20b/100%25/%C3%A9%3F%23.mdx?plain=1#L3`,
  );
  expect(at('docs.json', 7, 'docs')).toBe(`${blob}/docs/docs.json#L7`);
  expect(at('a.mdx', null, '.')).toBe(`${blob}/a.mdx?plain=1`);
});

test.each([
  ['git@github.com:acme/docs.git', 'https://github.com/acme/docs/commit/'],
  ['https://gitlab.com/group/sub/docs.git', 'https://gitlab.com/group/sub/docs/-/commit/'],
  ['https://codeberg.org/acme/docs', 'https://codeberg.org/acme/docs/commit/'],
  ['git@bitbucket.org:acme/docs.git', 'https://bitbucket.org/acme/docs/commits/'],
  ['https://git.example.com/scm/DOCS/site.git', 'https://git.example.com/projects/DOCS/repos/site/commits/'],
  ['git@ssh.dev.azure.com:v3/acme/docs/site', 'https://dev.azure.com/acme/docs/_git/site/commit/'],
])('a commit of %s has a page on its forge', (repository, expected) => {
  expect(commitLink(repository, commit)).toBe(expected + commit);
});

test('a commit of a forge that is not known has no page', () => {
  expect(commitLink('https://git.example.com/acme/docs', commit)).toBeNull();
});
