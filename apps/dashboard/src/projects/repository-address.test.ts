import { projectSourceInput } from '@offprint/contract';
import { expect, test } from 'vitest';
import { parseRepositoryAddress, repositoryName, splitTree } from './repository-address.ts';

const CASES: [pasted: string, repository: string, branch: string | null, folder: string | null][] = [
  ['https://github.com/acme/docs', 'https://github.com/acme/docs.git', null, null],
  ['  github.com/acme/docs/ ', 'https://github.com/acme/docs.git', null, null],
  ['git clone --depth 1 https://github.com/acme/docs.git', 'https://github.com/acme/docs.git', null, null],
  [
    'https://github.com/acme/docs/tree/main/site/docs',
    'https://github.com/acme/docs.git',
    'main',
    'site/docs',
  ],
  [
    'https://github.com/acme/docs/blob/main/docs/docs.json#L3',
    'https://github.com/acme/docs.git',
    'main',
    'docs',
  ],
  [
    'https://github.com/acme/docs/blob/main/README.md?plain=1',
    'https://github.com/acme/docs.git',
    'main',
    '',
  ],
  ['https://github.com/acme/docs/pull/12/files', 'https://github.com/acme/docs.git', null, null],
  ['https://github.com/acme/tree/', 'https://github.com/acme/tree.git', null, null],
  [
    'https://gitlab.com/acme/web/docs/-/tree/v2/guides?ref_type=heads',
    'https://gitlab.com/acme/web/docs.git',
    'v2',
    'guides',
  ],
  ['https://gitlab.com/acme/web/docs/-/merge_requests/4', 'https://gitlab.com/acme/web/docs.git', null, null],
  [
    'https://codeberg.org/acme/docs/src/branch/main/docs',
    'https://codeberg.org/acme/docs.git',
    'main',
    'docs',
  ],
  ['https://bitbucket.org/acme/docs/src/main/docs/', 'https://bitbucket.org/acme/docs.git', 'main', 'docs'],
  ['https://acme@bitbucket.org/acme/docs.git', 'https://bitbucket.org/acme/docs.git', null, null],
  [
    'https://dev.azure.com/acme/web/_git/docs?path=/guides&version=GBmain',
    'https://dev.azure.com/acme/web/_git/docs',
    'main',
    'guides',
  ],
  ['http://git.internal:3000/team/docs.git', 'http://git.internal:3000/team/docs.git', null, null],
  ['https://git.example.com:8443/team/docs', 'https://git.example.com:8443/team/docs', null, null],
  ['git@github.com:acme/docs.git', 'git@github.com:acme/docs.git', null, null],
  [
    'ssh://git@git.example.com:2222/acme/docs.git',
    'ssh://git@git.example.com:2222/acme/docs.git',
    null,
    null,
  ],
];

test.each(CASES)(
  '%s is understood, and the API takes what comes of it',
  (pasted, repository, branch, folder) => {
    const address = parseRepositoryAddress(pasted);
    expect(address?.repository).toBe(repository);
    const tree = splitTree(address!);
    expect(tree).toEqual(branch === null ? null : { branch, folder });
    expect(projectSourceInput.safeParse({ kind: 'git', repository, ...tree }).success).toBe(true);
  },
);

test('a token in the address is taken out of it', () => {
  const address = parseRepositoryAddress('https://oauth2:glpat-abc%2F1@gitlab.com/acme/docs.git');
  expect(address).toMatchObject({
    repository: 'https://gitlab.com/acme/docs.git',
    credential: { username: 'oauth2', token: 'glpat-abc/1' },
  });
});

test.each(['', 'docs', 'acme/docs', 'file:///etc', 'https://github.com/', 'javascript:alert(1)'])(
  '%j is not the URL of a repository',
  (text) => expect(parseRepositoryAddress(text)).toBeNull(),
);

test('separates a branch with a slash from the folder by the branches of the repository', () => {
  const address = parseRepositoryAddress('https://github.com/acme/docs/tree/release/2.0/docs')!;
  expect(splitTree(address)).toEqual({ branch: 'release', folder: '2.0/docs' });
  expect(splitTree(address, ['main', 'release/2.0'])).toEqual({ branch: 'release/2.0', folder: 'docs' });
});

test('the name of a repository leaves out scheme, host and suffix', () => {
  expect(repositoryName('https://github.com/acme/docs.git')).toBe('acme/docs');
  expect(repositoryName('git@github.com:acme/docs.git')).toBe('acme/docs');
});
