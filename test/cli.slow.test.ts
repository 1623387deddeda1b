/** The command as people and scripts run it: in a process of its own, by its output and exit code. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestPlatform, type Tenant, type TestPlatform } from './support/platform.ts';
import { LINKED } from './support/processes.ts';

const BIN = fileURLToPath(new URL('../apps/cli/bin/offprint.mjs', import.meta.url));
const DOCS = fileURLToPath(new URL('../docs', import.meta.url));

let work: string;
let site: string;

/** With the compiled code of sandbox children that other tests have left. */
const ENVIRONMENT = { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };

function offprint(args: string[], env: Record<string, string> = {}) {
  const child = spawnSync(process.execPath, [BIN, ...args], {
    cwd: work,
    encoding: 'utf8',
    env: { ...ENVIRONMENT, HOME: work, ...env },
  });
  return { code: child.status, out: child.stdout, err: child.stderr };
}

/** Starts a command and resolves with the JSON of its first line. */
function offprintUntilReady(args: string[], env: Record<string, string> = {}) {
  const child: ChildProcess = spawn(process.execPath, [...LINKED, BIN, ...args], {
    cwd: work,
    env: { ...ENVIRONMENT, HOME: work, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const ready = new Promise<Record<string, string | number>>((resolve, reject) => {
    let out = '';
    let err = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      if (out.includes('\n')) resolve(JSON.parse(out.slice(0, out.indexOf('\n'))));
    });
    void exit.then((code) => reject(new Error(`ended with ${code} before it was ready: ${err}`)));
  });
  return { child, ready, exit };
}

beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), 'offprint-cli-'));
  site = join(work, 'site');
  mkdirSync(site);
  writeFileSync(
    join(site, 'docs.json'),
    JSON.stringify({
      theme: 'mint',
      name: 'Small',
      colors: { primary: '#0f766e' },
      navigation: { pages: ['index', 'second'] },
    }),
  );
  writeFileSync(join(site, 'index.mdx'), '---\ntitle: Home\n---\n\nHello. [Away](/nowhere)\n');
  writeFileSync(join(site, 'second.mdx'), '---\ntitle: Second\n---\n\nMore.\n');
});

afterAll(() => rmSync(work, { recursive: true, force: true }));

describe('offprint', () => {
  test('--help lists every command and exits with 0', () => {
    const { code, out } = offprint(['--help']);
    expect(code).toBe(0);
    for (const command of [
      'new',
      'dev',
      'check',
      'export',
      'serve',
      'mcp',
      'up',
      'publish',
      'api',
      'worker',
      'migrate',
    ])
      expect(out).toContain(command);
  });

  test('an unknown command exits with 2 and suggests a similar one', () => {
    const { code, err } = offprint(['exprot']);
    expect(code).toBe(2);
    expect(err).toContain('Did you mean export?');
  });
});

describe('offprint export', () => {
  test('writes a bundle and says pages, size and warnings with file and line', () => {
    const { code, err } = offprint(['export', site, '-o', 'a.tar.gz']);
    expect(code).toBe(0);
    expect(err).toContain('2 pages');
    expect(err).toMatch(/index\.mdx\n {2}5 .*\/nowhere/);
  });

  test('without --site-url, reports once that the URL is not known and writes no domain of its own', () => {
    const { code, err } = offprint(['export', site, '-o', 'unknown.tar.gz']);
    expect(code).toBe(0);
    expect(err.match(/URL of the site is not known/g)).toHaveLength(1);
    expect(err).toContain('--site-url');
    const text = spawnSync('tar', ['xzOf', join(work, 'unknown.tar.gz')], { encoding: 'utf8' }).stdout;
    expect(text).not.toContain('docs.example.com');
    expect(text).toContain('"domain":"","name":"');
    expect(
      offprint(['export', site, '-o', 'a.tar.gz', '--site-url', 'https://docs.acme.test']).err,
    ).not.toContain('not known');
  });

  test('two exports of one folder are the same bytes', () => {
    offprint(['export', site, '-o', 'one.tar.gz', '--site-url', 'https://docs.example.com']);
    const { out } = offprint(
      ['export', site, '-o', 'two.tar.gz', '--site-url', 'https://docs.example.com', '--json', '--no-cache'],
      {
        TZ: 'Asia/Tokyo',
        LANG: 'tr_TR.UTF-8',
      },
    );
    expect(readFileSync(join(work, 'one.tar.gz')).equals(readFileSync(join(work, 'two.tar.gz')))).toBe(true);
    expect(JSON.parse(out)).toMatchObject({
      file: 'two.tar.gz',
      pageCount: 2,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test('gives the bundle and warnings of an earlier export until a file changes, then those of a new one', () => {
    const folder = join(work, 'changing');
    cpSync(site, folder, { recursive: true });
    const made = (file: string, ...options: string[]) => {
      const { code, out } = offprint(['export', folder, '-o', file, '--json', ...options]);
      expect(code).toBe(0);
      const { cached, renderedPages, file: _, ...result } = JSON.parse(out);
      return { cached, renderedPages, result, bytes: readFileSync(join(work, file)) };
    };
    // what no other test has exported
    writeFileSync(join(folder, 'second.mdx'), '---\ntitle: Second\n---\n\nMore of it.\n');
    const first = made('first.tar.gz');
    expect(first).toMatchObject({ cached: false, renderedPages: 2 });
    expect(made('again.tar.gz')).toEqual({ ...first, cached: true, renderedPages: 0 });
    writeFileSync(join(folder, 'second.mdx'), '---\ntitle: Second\n---\n\nLess. [Lost](/lost)\n');
    const changed = made('changed.tar.gz');
    expect(changed).toMatchObject({ cached: false, renderedPages: 1 });
    expect(changed.result.warnings).not.toEqual(first.result.warnings);
    const whole = { ...changed, renderedPages: 2 };
    expect(made('cold.tar.gz', '--no-cache')).toEqual(whole);
    const cache = join(work, '.cache/offprint/exports');
    for (const name of readdirSync(cache)) truncateSync(join(cache, name), 100);
    expect(made('rebuilt.tar.gz')).toEqual(whole);
  });

  test('into the docs folder packs no earlier bundle, so that it is unchanged the next time', () => {
    const folder = join(work, 'inside');
    cpSync(site, folder, { recursive: true });
    const made = () => {
      const { code, out } = offprint(['export', folder, '-o', join(folder, 'site.tar.gz'), '--json']);
      expect(code).toBe(0);
      return JSON.parse(out);
    };
    const first = made();
    expect(first.cached).toBe(false);
    expect(made()).toEqual({ ...first, cached: true, renderedPages: 0 });
    const listed = spawnSync('tar', ['tzf', join(folder, 'site.tar.gz')], { encoding: 'utf8' }).stdout;
    expect(listed).not.toContain('site.tar.gz');
  });

  test('a folder without docs.json exits with 1, the reason and no bundle', () => {
    const empty = mkdtempSync(join(work, 'empty-'));
    const { code, err } = offprint(['export', empty, '-o', 'none.tar.gz']);
    expect(code).toBe(1);
    expect(err).toContain('docs.json');
    expect(() => readFileSync(join(work, 'none.tar.gz'))).toThrow();
  });

  test('a folder that does not exist exits with 2', () => {
    expect(offprint(['export', 'nothere', '-o', 'x.tar.gz']).code).toBe(2);
  });

  test('the documentation of this project exports without a warning', () => {
    const { code, out } = offprint(['export', DOCS, '-o', 'docs.tar.gz', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out).warnings).toEqual([]);
  });
});

describe('offprint serve', () => {
  test('serves a valid bundle until it is stopped', async () => {
    offprint(['export', site, '-o', 'served.tar.gz']);
    const { child, ready, exit } = offprintUntilReady(['serve', 'served.tar.gz', '--port', '0', '--json']);
    const { url } = await ready;
    const page = await fetch(`${url}second`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('More.');
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
  });

  test('refuses a bundle with a changed byte with 1', () => {
    offprint(['export', site, '-o', 'whole.tar.gz']);
    const bytes = readFileSync(join(work, 'whole.tar.gz'));
    bytes.writeUInt8(bytes.readUInt8(2000) ^ 1, 2000);
    writeFileSync(join(work, 'broken.tar.gz'), bytes);
    const { code, err } = offprint(['serve', 'broken.tar.gz', '--port', '0']);
    expect(code).toBe(1);
    expect(err).toContain('broken.tar.gz is not a valid bundle');
  });
});

describe('offprint up', () => {
  const env = () => ({ OFFPRINT_DATA_DIR: join(work, 'data'), OFFPRINT_PORT: '0' });
  let operatorPassword: string;
  let firstKey: string;

  test('--once --json prints everything a script needs and exits with 0', () => {
    const { code, out, err } = offprint(['up', '--once', '--json', site], env());
    expect(code, err).toBe(0);
    ({ operatorPassword, adminKey: firstKey } = JSON.parse(out));
    const file = join(work, 'data', 'admin-key');
    expect(readFileSync(file, 'utf8')).toBe(`${firstKey}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(err).not.toContain(operatorPassword);
    expect(out.trim().split('\n')).toHaveLength(1);
    expect(JSON.parse(out)).toMatchObject({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      dashboardUrl: expect.stringMatching(/^http:/),
      organizationId: expect.stringMatching(/^org_[0-9a-f]{32}$/),
      projectId: expect.stringMatching(/^prj_[0-9a-f]{32}$/),
      domain: 'site.localhost',
      adminKey: expect.stringMatching(/^offprint_[0-9A-Za-z]{38}$/),
      operatorEmail: 'operator@localhost.localdomain',
      operatorPassword: expect.stringMatching(/^(?:[a-z2-9]{4}-){3}[a-z2-9]{4}$/),
      jobId: expect.stringMatching(/^se_[0-9a-f]{32}$/),
      bundleUrl: expect.stringContaining('signature='),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      pageCount: 2,
    });
  });

  test('stays up with API and site, and starts again on the same data', async () => {
    const { child, ready, exit } = offprintUntilReady(['up', '--json', site], env());
    const { url, siteUrl, adminKey } = await ready;
    expect(adminKey).toBe(firstKey);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(await (await fetch(`${siteUrl}`)).text()).toContain('Hello.');
    const jobs = await fetch(`${url}/v1/static-export/jobs`, {
      headers: { authorization: `Bearer ${adminKey}` },
    });
    expect(((await jobs.json()) as { data: unknown[] }).data.length).toBeGreaterThan(0);
    // What the first start creates is in the audit log, once: the second start found it.
    const log = await fetch(`${url}/v1/audit-events?actor=operator@localhost.localdomain`, {
      headers: { authorization: `Bearer ${adminKey}` },
    });
    const events = ((await log.json()) as { data: { action: string; targetName: string }[] }).data;
    expect(events.map(({ action, targetName }) => `${action} ${targetName}`).reverse()).toEqual([
      'createOrganization Demo',
      'createProject site',
      'createApiKey first start',
    ]);
    // The account of the first start signs in at the second, and manages what was made.
    const signedIn = await fetch(`${url}/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'operator@localhost.localdomain', password: operatorPassword }),
    });
    expect(await signedIn.json()).toMatchObject({
      user: { isOperator: true },
      organizations: [{ name: 'Demo', plan: 'enterprise', role: 'admin' }],
    });
    child.kill('SIGINT');
    expect(await exit).toBe(0);
  });

  test('Ctrl-C reports that the platform stops, and how long that can take', async () => {
    const child = spawn(process.execPath, [...LINKED, BIN, 'up'], {
      cwd: work,
      env: { ...ENVIRONMENT, HOME: work, ...env(), OFFPRINT_SHUTDOWN_SECONDS: '7' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
    let err = '';
    for await (const text of child.stderr.setEncoding('utf8')) {
      err += text;
      if (err.includes('Press Ctrl-C') && !child.killed) child.kill('SIGINT');
    }
    expect(await exit, err).toBe(0);
    expect(err).toContain('Stopping. Running exports have up to 7 s to finish.\n');
  });

  test('a key that was revoked is replaced, and no other', async () => {
    const listed = offprint(['admin', 'key', 'list', 'Demo', '--json'], env());
    expect(listed.err).toContain(`The embedded database in ${join(work, 'data')}`);
    const before = JSON.parse(listed.out) as { id: string; revokedAt: string | null }[];
    expect(before).toMatchObject([{ revokedAt: null }]);
    offprint(['admin', 'key', 'revoke', 'Demo', before[0]?.id ?? ''], env());
    const { out } = offprint(['up', '--once', '--json', site], env());
    expect(JSON.parse(out).adminKey).not.toBe(firstKey);
    const after = JSON.parse(offprint(['admin', 'key', 'list', 'Demo', '--json'], env()).out);
    expect(after).toMatchObject([{ revokedAt: null }, { id: before[0]?.id }]);
  });

  test('a site that cannot be exported exits with 1 and the reason', () => {
    const broken = join(work, 'broken-site');
    mkdirSync(broken);
    writeFileSync(join(broken, 'docs.json'), '{ "name": ');
    const { code, err } = offprint(['up', '--once', '--json', broken], env());
    expect(code).toBe(1);
    expect(err).toMatch(/docs\.json:1/);
  });
});

describe('offprint publish', () => {
  let platform: TestPlatform;
  let tenant: Tenant;
  const env = (key = tenant.key) => ({ OFFPRINT_URL: platform.url, OFFPRINT_API_KEY: key });

  beforeAll(async () => {
    platform = await startTestPlatform();
    tenant = await platform.createTenant();
    const response = await fetch(`${platform.url}/v1/projects`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'p',
        source: { kind: 'folder', path: site },
        domains: ['docs.example.com'],
      }),
    });
    expect(response.status).toBe(201);
  });
  afterAll(() => platform?.stop());

  test('exports, downloads and verifies; --json says what came of it', () => {
    const { code, out, err } = offprint(
      ['publish', '--domain', 'docs.example.com', '-o', 'p.tar.gz', '--json'],
      env(),
    );
    expect(code, err).toBe(0);
    const result = JSON.parse(out);
    expect(result).toMatchObject({ pageCount: 2, warnings: [{ file: 'index.mdx', line: 5 }] });
    expect(readFileSync(join(work, 'p.tar.gz')).length).toBe(result.sizeBytes);
  });

  test('a missing key exits with 2 and prints where it is read from', () => {
    const { code, err } = offprint(['publish', '--domain', 'docs.example.com'], {
      OFFPRINT_URL: platform.url,
    });
    expect(code).toBe(2);
    expect(err).toContain('OFFPRINT_API_KEY');
  });

  test('an invalid key exits with 2', () => {
    expect(
      offprint(['publish', '--domain', 'docs.example.com'], env(`offprint_${'a'.repeat(38)}`)).code,
    ).toBe(2);
  });

  test('an unknown domain exits with 2 and the request id', () => {
    const { code, err } = offprint(['publish', '--domain', 'else.example.com'], env());
    expect(code).toBe(2);
    expect(err).toMatch(/req_[0-9a-f]{32}/);
  });

  test('a ref for a source without Git exits with 2 and names it', () => {
    const { code, err } = offprint(['publish', '--domain', 'docs.example.com', '--ref', 'nothere'], env());
    expect(code).toBe(2);
    expect(err).toContain('ref');
  });

  test('an export that fails exits with 1 and the reason', () => {
    const file = join(site, 'docs.json');
    const whole = readFileSync(file);
    writeFileSync(file, '{ "name": ');
    try {
      const { code, err } = offprint(['publish', '--domain', 'docs.example.com'], env());
      expect(code).toBe(1);
      expect(err).toMatch(/failed: .*docs\.json:1/);
    } finally {
      writeFileSync(file, whole);
    }
  });

  test('an export that times out exits with 3 and continues on the server', () => {
    const { code, err } = offprint(['publish', '--domain', 'docs.example.com', '--timeout', '0.05'], env());
    expect(code).toBe(3);
    expect(err).toContain('continues on the server');
  });
});
