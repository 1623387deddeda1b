import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redact } from './error.ts';
import { checkRef, parseRepository } from './repository.ts';
import { checkFolder, pathFault } from './tree-path.ts';

const STRICT = { allowHttp: [] };

test.each([
  ['https://github.com/org/repo', 'https://github.com/org/repo', 'github.com', 443],
  ['https://GitHub.com:443/org/repo.git', 'https://github.com/org/repo.git', 'github.com', 443],
  [
    'https://forge.example.com:8443/a/b/c.git',
    'https://forge.example.com:8443/a/b/c.git',
    'forge.example.com',
    8443,
  ],
  ['git@github.com:org/repo.git', 'git@github.com:org/repo.git', 'github.com', 22],
  [
    'deploy@forge.example.com:/srv/git/repo',
    'deploy@forge.example.com:/srv/git/repo',
    'forge.example.com',
    22,
  ],
  ['ssh://git@github.com/org/repo.git', 'ssh://git@github.com/org/repo.git', 'github.com', 22],
  ['ssh://github.com/org/repo.git', 'ssh://git@github.com/org/repo.git', 'github.com', 22],
  ['ssh://git@[2001:db8::1]:2222/org/repo', 'ssh://git@[2001:db8::1]:2222/org/repo', '2001:db8::1', 2222],
  ['https://bücher.example/a', 'https://xn--bcher-kva.example/a', 'xn--bcher-kva.example', 443],
  ['https://2130706433/a', 'https://127.0.0.1/a', '127.0.0.1', 443],
  ['git@2130706433:a', 'git@127.0.0.1:a', '127.0.0.1', 22],
  ['https://example.com/%E2%9C%93/repo', 'https://example.com/%E2%9C%93/repo', 'example.com', 443],
])('%s is read as %s', (address, url, host, port) => {
  expect(parseRepository(address, STRICT)).toMatchObject({ url, host, port });
});

test.each([
  'ext::sh -c touch% /tmp/offprint-pwned',
  'ext::sh',
  'fd::17',
  'file:///etc',
  '/etc',
  '../etc',
  './repo',
  'C:\\repo',
  '--upload-pack=touch /tmp/offprint-pwned',
  '--upload-pack=x',
  '-oProxyCommand=x',
  'ssh://-oProxyCommand=x/repo',
  'ssh://git@-oProxyCommand=x/repo',
  'ssh://-l@host/repo',
  'git@-oProxyCommand=x:repo',
  '-x@host:repo',
  'git@host:-repo',
  'ssh://host/-repo',
  'git@host:../repo',
  'git://host/repo',
  'ftp://host/repo',
  'git+ssh://host/repo',
  'https://user:secret@host/repo',
  'https://token@host/repo',
  'https://host',
  'https:///repo',
  'https://host/repo?x=1',
  'https://host/repo#x',
  'https://host/a/../b',
  'https://host/%2e%2e/b',
  'https://host/a%0ab',
  'https://ho st/repo',
  'https://host\n/repo',
  'https://host/re\0po',
  'https://host:0/repo',
  'https://host:99999/repo',
  '',
  'repo',
  'x'.repeat(3000),
  'git@user:password@host/repo',
])('%j is refused as an address', (address) => {
  const parse = () => parseRepository(address, { allowHttp: ['*'] });
  expect(parse).toThrow(expect.objectContaining({ name: 'GitError', code: 'invalid' }));
  expect(parse).not.toThrow('secret');
});

test('http is refused with the name of the setting that allows it', () => {
  expect(() => parseRepository('http://forge.example.com/a', STRICT)).toThrow(
    /uses http:.*allow it for forge\.example\.com \(OFFPRINT_ALLOW_HTTP_GIT_HOSTS\)/,
  );
});

test.each([
  ['*', 'http://forge.example.com/a', true],
  ['git.internal', 'http://git.internal/a', true],
  ['git.internal', 'http://GIT.internal:3000/a', true],
  ['git.internal', 'http://git.internal.evil.example/a', false],
  ['git.internal:3000', 'http://git.internal:3000/a', true],
  ['git.internal:3000', 'http://git.internal/a', false],
  ['git.internal:80', 'http://git.internal/a', true],
  ['*.internal', 'http://git.internal/a', true],
  ['*.internal', 'http://internal/a', false],
  ['10.0.0.5:3000', 'http://10.0.0.5:3000/a', true],
  ['10.0.0.5:3000', 'http://10.0.0.55:3000/a', false],
  ['10.0.0.5', 'http://167772165/a', true],
  ['[fd00::1]:3000', 'http://[fd00::1]:3000/a', true],
  ['[fd00::1]', 'http://[fd00::1]:3000/a', true],
  ['fd00::1', 'http://[fd00::1]/a', true],
  ['[fd00::1]:3000', 'http://[fd00::1]:3001/a', false],
])('the host %s allows %s: %s', (host, address, isAllowed) => {
  const parse = () => parseRepository(address, { allowHttp: [host] });
  if (isAllowed) expect(parse()).toMatchObject({ transport: 'http' });
  else expect(parse).toThrow('OFFPRINT_ALLOW_HTTP_GIT_HOSTS');
});

test('whatever is accepted is in normal form, of an allowed kind, and cannot be taken for an option', () => {
  const piece = fc.constantFrom(
    'https://',
    'http://',
    'ssh://',
    'ext::',
    'file://',
    'git@',
    'user:pw@',
    '-',
    '--upload-pack=',
    'github.com',
    '127.0.0.1',
    '[::1]',
    ':',
    '::',
    '/',
    '//',
    '..',
    '.',
    '%2e',
    '%2f',
    '%0a',
    '@',
    '?',
    '#',
    'repo.git',
    '\\',
    ' ',
    '\n',
    '\0',
    ':22',
    '~',
  );
  const address = fc.oneof(
    fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join('')),
    fc.string(),
    fc.webUrl(),
  );
  fc.assert(
    fc.property(address, (text) => {
      let parsed: ReturnType<typeof parseRepository>;
      try {
        parsed = parseRepository(text, STRICT);
      } catch (error) {
        expect(error).toMatchObject({ name: 'GitError', code: 'invalid' });
        return;
      }
      expect(parsed.url).toMatch(/^(?:https:\/\/[^/@]+\/[^?#]|ssh:\/\/[\w.-]+@[^/@]+\/|[\w.-]+@[^/@]+:)/);
      expect(parsed.url).not.toMatch(/^-|[\s\0\\?#]|:\/\/-|\/\.\.?(?:\/|$)/);
      expect(parseRepository(parsed.url, STRICT)).toEqual(parsed);
    }),
    { numRuns: 5000 },
  );
});

test('a valid path stays below its root and is not of git itself', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '..',
      '.',
      '/',
      '//',
      '\\',
      '.git',
      '.GIT',
      'git~1',
      'a',
      '\0',
      '\r',
      '\u200c',
      '.',
      ' ',
      ':',
      'é',
      '．．',
      '．git',
    ),
    fc.string({ maxLength: 4 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const path = pieces.join('');
      if (pathFault(path) !== null) return;
      const root = '/data/root';
      expect(resolve(root, path)).toBe(join(root, path));
      expect(resolve(root, path).startsWith(`${root}/`)).toBe(true);
      expect(path.toLowerCase().split('/')).not.toContain('.git');
    }),
    { numRuns: 20_000 },
  );
});

test('a folder and a ref are normal after their check, or refused', () => {
  expect(checkFolder('/')).toBe('');
  expect(checkFolder('./docs/')).toBe('docs');
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        expect(checkFolder(checkFolder(text))).toBe(checkFolder(text));
      } catch (error) {
        expect(error).toMatchObject({ code: 'invalid' });
      }
      try {
        expect(checkRef(text)).not.toMatch(/^-|[\s~^:?*[\\]|\.\./);
      } catch (error) {
        expect(error).toMatchObject({ code: 'invalid' });
      }
    }),
    { numRuns: 5000 },
  );
});

test('no user information survives in a text for people', () => {
  expect(redact("fatal: unable to access 'https://user:se:cret@host/x': failed")).toBe(
    "fatal: unable to access 'https://host/x': failed",
  );
  expect(redact('ssh://git:pw@h/x \u001b[31mred\u202e')).toBe('ssh://h/x  [31mred ');
});
