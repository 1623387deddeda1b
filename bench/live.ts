/**
 * From a push to the served page: a platform with its worker, PostgreSQL, a Git server and a site server in processes of
 * this machine. Each round edits the text of one page, commits, delivers the signed event, and requests the page until it
 * has the new text. Then previews of a branch, and rollbacks.
 *
 *   node bench/live.ts [--pages 1000] [--rounds 20] [--pause 5]
 *
 * The pause between two pushes, in seconds, is for what follows an update: compressed copies and the next renderer that
 * waits for work.
 *
 * Parts of an update: `hook` the response to the event, `queue` until a worker has started, `source` the snapshot,
 * `render`, `store` until the end of the export with its switch, `serve` until the site server responds with it.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ask } from '../apps/site/test/support/reader.ts';
import { freePort } from '../test/support/free-port.ts';
import { startGitServer } from '../test/support/git-server.ts';
import { createRandom } from '../test/support/random.ts';
import { build } from './load.ts';

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '20' },
    pause: { type: 'string', default: '5' },
  },
});
const [pages, rounds] = [Number(values.pages), Number(values.rounds)];
const pauseMs = Number(values.pause) * 1000;
/** How often the state and the page are requested: more often, and the requests are a load of their own. */
const pollMs = 20;
const TOKEN = 'hosting-token-of-this-benchmark-0123456789';
const HOST = 'docs.example.com';
const PREVIEWS = 'previews.example.net';
const PARTS = ['hook', 'queue', 'source', 'render', 'store', 'serve'] as const;
type Part = (typeof PARTS)[number];

const children: ChildProcess[] = [];
const work = mkdtempSync(join(tmpdir(), 'offprint-bench-'));
const git = await startGitServer();
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const platform = { url: `http://127.0.0.1:${await freePort()}` };
const settings = {
  ...process.env,
  OFFPRINT_DATA_DIR: join(work, 'data'),
  OFFPRINT_PORT: new URL(platform.url).port,
  OFFPRINT_METRICS_PORT: '0',
  OFFPRINT_PUBLIC_URL: platform.url,
  OFFPRINT_HOSTING_TOKEN: TOKEN,
  OFFPRINT_DOMAIN_VERIFICATION: 'off',
  OFFPRINT_PREVIEW_DOMAIN: PREVIEWS,
  OFFPRINT_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
  OFFPRINT_ALLOW_HTTP_GIT_HOSTS: '127.0.0.1',
  OFFPRINT_SANDBOX: 'preferred',
  OFFPRINT_RATE_LIMIT: '100000',
  OFFPRINT_LOG_LEVEL: 'error',
};
/** Starts the platform with its embedded database; an admin key of an organization. */
async function startPlatform(): Promise<string> {
  const program = join(root, 'apps/server/src/main.ts');
  const stdio = ['ignore', 'ignore', 'inherit'] as const;
  children.push(spawn(process.execPath, [program, 'api', 'worker'], { env: settings, stdio: [...stdio] }));
  while ((await fetch(`${platform.url}/readyz`).catch(() => null))?.ok !== true) await sleep(200);
  const admin = (...args: string[]): string => {
    const command = [join(root, 'apps/cli/bin/offprint.mjs'), 'admin', ...args];
    const { stdout, stderr, status } = spawnSync(process.execPath, command, {
      env: settings,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(stderr);
    return stdout.trim();
  };
  admin('organization', 'create', 'Bench', '--plan', 'enterprise');
  const scopes = ['exports:write', 'exports:read', 'projects:write', 'organization:write'].flatMap(
    (scope) => ['--scope', scope],
  );
  return admin('key', 'create', 'Bench', '--name', 'bench', ...scopes);
}

interface Reply<Body> {
  status: number;
  text: string;
  body: Body;
}

async function call<Body>(
  method: string,
  path: string,
  { key, body, headers }: { key?: string; body?: unknown; headers?: Record<string, string> },
): Promise<Reply<Body>> {
  const response = await fetch(`${platform.url}${path}`, {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    text,
    body: text === '' ? (undefined as Body) : (JSON.parse(text) as Body),
  };
}

async function main(): Promise<void> {
  const key = await startPlatform();
  const api = async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
    const reply = await call<Body>(method, path, { key, body });
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body;
  };
  await commit(0);
  spawnSync('git', ['repack', '-adq'], { cwd: join(git.root, 'docs.git') });
  const source = { kind: 'git', repository: `${git.url}/docs.git` };
  const { id: projectId } = await api<{ id: string }>('POST', '/v1/projects', { name: 'Bench', source });
  const of = `/v1/projects/${projectId}`;
  await api('POST', `${of}/domains`, { domain: HOST });
  await api('PUT', `${of}/automation`, { webhook: { enabled: true } });
  await api('PUT', `${of}/hosting`, { enabled: true, previews: { enabled: true } });
  await api('PUT', `${of}/access`, { preview: { kind: 'public' } });
  const { secret } = await api<{ secret: string }>('POST', `${of}/automation/secret`, {});
  const port = await startSiteServer();
  const push = async (branch: string, after: string): Promise<string | null> => {
    const body = JSON.stringify({
      ref: `refs/heads/${branch}`,
      after,
      repository: { full_name: 'docs', clone_url: source.repository, default_branch: 'main' },
    });
    const headers = {
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-github-delivery': after,
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    };
    const reply = await call<{ exportId: string | null; message: string }>(
      'POST',
      `/v1/webhooks/${projectId}`,
      { body, headers },
    );
    if (reply.body.exportId === null) throw new Error(reply.body.message);
    return reply.body.exportId;
  };
  const untilServed = async (host: () => Promise<string | null>, text: string): Promise<number> => {
    for (;;) {
      const name = await host();
      const answer =
        name === null
          ? null
          : await ask(port, '/part-0/page-0', { headers: { host: name } }).catch(() => null);
      if (answer?.content.toString().includes(text)) return performance.now();
      await sleep(pollMs);
    }
  };
  const production = async () => HOST;

  /** One update, with its parts in milliseconds. */
  const update = async (round: number) => {
    const after = await commit(round);
    const start = performance.now();
    const exportId = (await push('main', after)) ?? '';
    const marks = new Map<string, number>([['hook', performance.now()]]);
    const watching = watch(api, exportId, marks);
    const served = await untilServed(production, marker(round));
    await watching;
    return partsOf(start, marks, served);
  };
  const first = await update(1);
  note(`first update, all pages rendered: ${first.total.toFixed(0)} ms, load ${loadavg()[0]?.toFixed(1)}`);
  const updates = [];
  for (let round = 2; round < 2 + rounds; round++) {
    await sleep(pauseMs);
    updates.push(await update(round));
  }

  const previews: number[] = [];
  for (let round = 0; round < Math.min(5, rounds); round++) {
    await sleep(pauseMs);
    const after = await commit(1000 + round, `refs/heads/topic-${round}`);
    const start = performance.now();
    await push(`topic-${round}`, after);
    const host = async () => {
      const { data } = await api<{ data: { branch: string; url: string }[] }>(
        'GET',
        `${of}/deployments?limit=5`,
      );
      const url = data.find(({ branch }) => branch === `topic-${round}`)?.url;
      return url === undefined ? null : new URL(url).host;
    };
    previews.push((await untilServed(host, marker(1000 + round))) - start);
  }

  const rollbacks: number[] = [];
  const { data } = await api<{
    data: { id: string; canPromote: boolean; status: string; createdAt: string }[];
  }>('GET', `${of}/deployments?kind=production&limit=5`);
  const [newest, before] = data;
  for (let round = 0; round < Math.min(10, rounds); round++) {
    const isBack = round % 2 === 0;
    const start = performance.now();
    await api('POST', `${of}/deployments/${(isBack ? before : newest)?.id}/promote`, {});
    rollbacks.push((await untilServed(production, marker(isBack ? rounds : rounds + 1))) - start);
  }
  report(first.total, updates, previews, rollbacks);
}

function marker(round: number): string {
  return `marker${String(round).padStart(6, '0')}end`;
}

let base: { path: string; content: string }[] | null = null;
function commit(round: number, ref = 'refs/heads/main'): Promise<string> {
  base ??= [
    {
      path: 'docs.json',
      content: JSON.stringify({
        name: 'Bench',
        theme: 'mint',
        colors: { primary: '#166e3f' },
        navigation: {
          groups: Array.from({ length: 20 }, (_, group) => ({
            group: `Part ${group}`,
            pages: Array.from(
              { length: Math.ceil(pages / 20) },
              (_, at) => `part-${group}/page-${at * 20 + group}`,
            ).filter((path) => Number(path.split('-').at(-1)) < pages),
          })),
        },
      }),
    },
    ...Array.from({ length: pages }, (_, page) => ({
      path: `part-${page % 20}/page-${page}.mdx`,
      content: textOf(page),
    })),
  ];
  const files = base.map((file) =>
    file.path === 'part-0/page-0.mdx' ? { ...file, content: `${file.content}\n\n${marker(round)}\n` } : file,
  );
  return git.commit('docs.git', files, { ref, message: `Round ${round}`, at: 1_700_000_000 + round });
}

/** A page of about 4 kB: headings, lists, code and links. */
function textOf(page: number): string {
  const random = createRandom(page + 1);
  const word = () =>
    Math.floor(random() * 5000)
      .toString(36)
      .padStart(4, 'a');
  const sentence = () => `${Array.from({ length: 14 }, word).join(' ')}.`;
  const section = (at: number) =>
    [
      `## Step ${at}: ${word()} ${word()}`,
      Array.from({ length: 4 }, sentence).join(' '),
      `- ${sentence()}\n- ${sentence()}\n- [${word()}](/part-${(page + at) % 20}/page-${(page + at) % pages})`,
      `\`\`\`js\nconst ${word()} = await ${word()}('${word()}', { ${word()}: ${at} });\n\`\`\``,
    ].join('\n\n');
  return `---\ntitle: Page ${page}\n---\n\n${[1, 2, 3, 4].map(section).join('\n\n')}`;
}

/** Notes when an export starts, has its source, is rendered and has ended. */
async function watch(
  api: <Body>(method: string, path: string) => Promise<Body>,
  exportId: string,
  marks: Map<string, number>,
): Promise<void> {
  for (;;) {
    const row = await api<{ status: string; phase: string | null; startedAt: string | null }>(
      'GET',
      `/v1/static-export/jobs/${exportId}`,
    );
    const reached = [
      ...(row.startedAt === null ? [] : ['queue']),
      ...(row.phase !== null && row.phase !== 'fetching' ? ['source'] : []),
      ...(['storing', 'packing'].includes(row.phase ?? '') ? ['render'] : []),
      ...(row.status === 'completed' ? ['queue', 'source', 'render', 'store'] : []),
    ];
    for (const part of reached) if (!marks.has(part)) marks.set(part, performance.now());
    if (row.status === 'failed') throw new Error('The export failed.');
    if (row.status === 'completed') return;
    await sleep(pollMs);
  }
}

interface Update {
  total: number;
  parts: Record<Part, number>;
}

function partsOf(start: number, marks: ReadonlyMap<string, number>, served: number): Update {
  const parts = { hook: 0, queue: 0, source: 0, render: 0, store: 0, serve: 0 };
  let last = start;
  for (const part of PARTS) {
    const at = part === 'serve' ? served : (marks.get(part) ?? last);
    parts[part] = Math.max(0, at - last);
    last = Math.max(last, at);
  }
  return { total: served - start, parts };
}

async function startSiteServer(): Promise<number> {
  const program = await build(work);
  const [port, management] = [await freePort(), await freePort()];
  const env = {
    ...process.env,
    OFFPRINT_URL: platform.url,
    OFFPRINT_HOSTING_TOKEN: TOKEN,
    OFFPRINT_SITE_DIR: join(work, 'volume'),
    OFFPRINT_SITE_PORT: String(port),
    OFFPRINT_SITE_MANAGEMENT_PORT: String(management),
  };
  children.push(spawn(process.execPath, [program], { env, stdio: 'ignore' }));
  return port;
}

const at = (list: readonly number[], share: number): string =>
  ([...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))] ?? 0).toFixed(
    0,
  );

function report(first: number, updates: readonly Update[], previews: number[], rollbacks: number[]): void {
  const row = (name: string, list: readonly number[]) =>
    `| ${name} | ${at(list, 0.5)} | ${at(list, 0.95)} | ${at(list, 1)} |`;
  process.stdout.write(
    [
      `${pages} pages, ${updates.length} updates with one edited page, Node ${process.versions.node}, ${cpus().length} cores, load average ${loadavg()
        .map((one) => one.toFixed(1))
        .join(' ')}; the first update, of all pages, took ${first.toFixed(0)} ms`,
      '',
      '| | p50 ms | p95 ms | max ms |',
      '| --- | ---: | ---: | ---: |',
      row(
        'hook to served page',
        updates.map(({ total }) => total),
      ),
      ...PARTS.map((part) =>
        row(
          `- ${part}`,
          updates.map(({ parts }) => parts[part]),
        ),
      ),
      row('preview', previews),
      row('rollback', rollbacks),
      '',
    ].join('\n'),
  );
}

function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

try {
  await main();
} finally {
  for (const child of children) child.kill('SIGTERM');
  await sleep(3_000);
  await git.close();
  rmSync(work, { recursive: true, force: true, maxRetries: 5 });
}
