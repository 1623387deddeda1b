/** `offprint mcp`: the site in a bundle for agents, over standard input and output. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readMessages } from '../apps/cli/src/process/messages.ts';
import { makeBundle } from '../apps/site/test/support/bundle.ts';
import { config, exportSite, page } from '../packages/search/test/site.ts';

const program = new URL('../apps/cli/bin/offprint.mjs', import.meta.url).pathname;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'offprint-test-mcp-'));
  const { files } = await exportSite({
    'docs.json': config({ pages: ['guides/start'] }),
    'guides/start.mdx': page('Start', '## Access tokens\n\nA token is sent.'),
  });
  const others = Object.fromEntries(
    [...files].flatMap(([path, content]) => (path === 'index.html' ? [] : [[path, Buffer.from(content)]])),
  );
  const site = { domain: '', name: 'Acme', url: 'https://docs.example.com/docs' };
  (await makeBundle('v1', { others, files: 0, head: { site } })).write(folder, 'site.tar.gz');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const open = async (mode: 'legacy' | 'auto', ...args: string[]): Promise<Client> => {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const env = { PATH: process.env.PATH ?? '', TMPDIR: folder };
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, 'mcp', 'site.tar.gz', ...args],
      cwd: folder,
      env,
    }),
  );
  return client;
};
const textOf = async (client: Client, name: string, args: Record<string, unknown>): Promise<string> => {
  const { content } = await client.callTool({ name, arguments: args });
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
};

test.each(['legacy', 'auto'] as const)(
  'the official client searches and reads a bundle (%s)',
  async (mode) => {
    const client = await open(mode);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['search', 'read']);
    const found = await textOf(client, 'search', { query: 'access token' });
    expect(found).toContain('https://docs.example.com/docs/guides/start#access-tokens');
    expect(await textOf(client, 'read', { path: 'https://docs.example.com/docs/guides/start' })).toContain(
      'A token is sent.',
    );
    await client.close();
    // the unpacked files go with the process
    await expect.poll(() => readdirSync(folder)).toEqual(['site.tar.gz']);
  },
);

test('links have the URL that the command names', async () => {
  const client = await open('legacy', '--url', 'http://localhost:4200/');
  expect(await textOf(client, 'search', { query: 'token' })).toContain('http://localhost:4200/guides/start');
  await client.close();
});

test('a file that is not a bundle ends the command with the reason', async () => {
  writeFileSync(join(folder, 'site.tar.gz.bad'), 'hello');
  const { spawnSync } = await import('node:child_process');
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [program, 'mcp', ...args], { cwd: folder, encoding: 'utf8', input: '' });
  const bad = run('site.tar.gz.bad');
  expect([bad.status, bad.stdout]).toEqual([1, '']);
  expect(bad.stderr).toContain('is not a valid bundle');
  expect(run('missing.tar.gz').stderr).toContain('File not found');
  expect(run('site.tar.gz', '--url', 'docs').stderr).toContain('--url must be');
  rmSync(join(folder, 'site.tar.gz.bad'));
});

test('messages are lines, in any pieces, and a long one does not fill the memory', async () => {
  const read = async (...pieces: (string | Buffer)[]): Promise<unknown[]> => {
    const found: unknown[] = [];
    const input = (async function* () {
      yield* pieces;
    })();
    for await (const message of readMessages(input, 20)) found.push(message);
    return found;
  };
  expect(await read('{"a":1}\n{"b"', ':2}\n\n{"c":3}')).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }]);
  const [first, second] = [Buffer.from('"ä"\n').subarray(0, 2), Buffer.from('"ä"\n').subarray(2)];
  expect(await read(first, second)).toEqual(['ä']);
  expect(await read('nonsense\n1\n')).toEqual([undefined, 1]);
  expect(await read('x'.repeat(15), 'x'.repeat(15), '\n"y"\n')).toEqual([undefined, 'y']);
});
