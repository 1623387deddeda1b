/** `offprint agent` as people and scripts run it: in a process of its own, with a model over the wire. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AgentLab, doing, lineScript, SITE, startAgentLab } from './support/agent/lab.ts';
import {
  type Answer,
  type ModelServer,
  type ScriptedRequest,
  startModelServer,
} from './support/agent/model-server.ts';
import { LINKED } from './support/processes.ts';

const BIN = fileURLToPath(new URL('../apps/cli/bin/offprint.mjs', import.meta.url));
const KEY = 'sk-local-test-key-0123456789';

let work: string;

beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), 'offprint-cli-agent-'));
});

afterAll(() => rmSync(work, { recursive: true, force: true }));

interface Running {
  child: ChildProcess;
  /** Resolves when standard error has said this. */
  said(text: string): Promise<void>;
  end: Promise<{ code: number | null; out: string; err: string }>;
}

function start(args: string[], env: Record<string, string>): Running {
  const child = spawn(process.execPath, [...LINKED, BIN, 'agent', ...args], {
    cwd: work,
    env: {
      PATH: process.env.PATH ?? '',
      // With the compiled code of sandbox children that other tests have left.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      HOME: work,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  const waiting: (() => void)[] = [];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text;
    for (const look of waiting) look();
  });
  const end = new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, out, err })),
  );
  return {
    child,
    end,
    said: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (err.includes(text)) resolve();
        };
        waiting.push(look);
        look();
        void end.then(() => reject(new Error(`ended without saying ${text}: ${err}`)));
      }),
  };
}

const offprint = (args: string[], env: Record<string, string> = {}) => start(args, env).end;

/** A network between a command and the platform, which can be disconnected; `url` stays the same. */
async function startRelay(target: string) {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy()).on('close', () => sockets.delete(one));
    }
  });
  const listen = async (at: number): Promise<number> => {
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return address.port;
  };
  const own = await listen(0);
  return {
    url: `http://127.0.0.1:${own}`,
    connect: () => listen(own),
    async disconnect() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

describe('offprint agent run --local', () => {
  let docs: string;
  let model: ModelServer;
  /** What the model says instead of doing the lines of the prompt. */
  let script: (request: ScriptedRequest) => Answer;

  beforeAll(async () => {
    model = await startModelServer({ apiKey: KEY, script: (request) => script(request) });
  });
  afterAll(() => model.close());

  beforeEach(() => {
    script = lineScript;
    docs = mkdtempSync(join(work, 'docs-'));
    for (const [path, text] of Object.entries(SITE)) {
      mkdirSync(dirname(join(docs, path)), { recursive: true });
      writeFileSync(join(docs, path), text);
    }
  });
  afterEach(() => {
    model.faults.length = 0;
  });

  const env = () => ({
    OFFPRINT_AGENT_PROVIDER: 'openai-compatible',
    OFFPRINT_AGENT_MODEL: 'scripted',
    OFFPRINT_AGENT_BASE_URL: model.url,
    OFFPRINT_AGENT_API_KEY: KEY,
  });
  const local = (prompt: string, ...more: string[]) =>
    offprint(['run', '--local', docs, prompt, ...more], env());
  const textOf = (path: string) => readFileSync(join(docs, path), 'utf8');
  /** Every file of the folder with its text. */
  const tree = () =>
    readdirSync(docs, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => [
        join(entry.parentPath, entry.name),
        readFileSync(join(entry.parentPath, entry.name), 'utf8'),
      ])
      .sort();
  const EDIT = doing(
    ['edit_file', { path: 'guide/start.mdx', old_text: 'Node 20', new_text: 'Node 24' }],
    ['finish', { title: 'Ask for Node 24', summary: 'Node 20 is no longer enough.' }],
  );

  test('shows what is done, prints the diff and writes the changed file only', async () => {
    const before = tree();
    const { code, out, err } = await local(EDIT);
    expect(err).toContain('edit_file         guide/start.mdx');
    expect(err).toContain('Node 20 is no longer enough.');
    expect(err).toContain('1 file written');
    expect(out).toContain('-The beta needs Node 20.\n+The beta needs Node 24.');
    expect(code).toBe(0);
    const after = new Map(tree() as [string, string][]);
    const changed = before.filter(([path, text]) => after.get(path as string) !== text);
    expect(changed.map(([path]) => path)).toEqual([join(docs, 'guide/start.mdx')]);
    expect(after.size).toBe(before.length);
    expect(`${out}${err}`).not.toContain(KEY);
  });

  test('--dry-run prints the same diff and writes nothing; --json reports it', async () => {
    const before = tree();
    const { code, out } = await local(EDIT, '--dry-run', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      title: 'Ask for Node 24',
      isWritten: false,
      files: [{ path: 'guide/start.mdx', kind: 'modified', additions: 1, deletions: 1 }],
      checks: { new: 0, fixed: 0 },
      diff: expect.stringContaining('+The beta needs Node 24.'),
    });
    expect(tree()).toEqual(before);
  });

  test('writes nothing at all when a file has changed while the agent worked', async () => {
    script = (request) => {
      if (request.step === 1) writeFileSync(join(docs, 'guide/start.mdx'), 'by somebody else\n');
      return lineScript(request);
    };
    const { code, err } = await local(
      doing(
        ['write_file', { path: 'new.mdx', content: '---\ntitle: New\n---\n\nNew.\n', mode: 'create' }],
        ['edit_file', { path: 'guide/start.mdx', old_text: 'Node 20', new_text: 'Node 24' }],
        ['finish', { title: 'Both', summary: 'Both.' }],
      ),
    );
    expect(err).toContain(
      'Nothing was written, because these files changed after they were read: guide/start.mdx',
    );
    expect(code).toBe(1);
    expect(textOf('guide/start.mdx')).toBe('by somebody else\n');
    expect(readdirSync(docs)).not.toContain('new.mdx');
  });

  test('refuses paths that no job may write, by the same rules as a server', async () => {
    const before = tree();
    const { code, err } = await local(
      doing(
        ['write_file', { path: '.github/workflows/x.yml', content: 'on: push\n', mode: 'create' }],
        ['write_file', { path: '../outside.mdx', content: 'x', mode: 'create' }],
        ['write_file', { path: 'AGENTS.md', content: 'x', mode: 'create' }],
      ),
    );
    expect(code).toBe(0);
    expect(err.match(/rejected: /g)).toHaveLength(3);
    expect(err).toContain('No files changed');
    expect(tree()).toEqual(before);
  });

  test('writes nothing when the changes hold what may not be published, such as the key of the model', async () => {
    const before = tree();
    const { code, out, err } = await local(
      doing(
        ['edit_file', { path: 'index.mdx', old_text: 'Welcome', new_text: `Welcome ${KEY}` }],
        ['finish', { title: 'Key', summary: 'Key.' }],
      ),
    );
    expect(err).toContain(
      'Nothing was written, because the changes contain content that a job must not write:',
    );
    expect(out).toContain('+Welcome [key]');
    expect(out).not.toContain(KEY);
    expect(code).toBe(1);
    expect(tree()).toEqual(before);
  });

  test('reports findings that its changes cause to the model, and does not hide those that remain', async () => {
    const { code, err } = await local(
      doing(
        ['edit_file', { path: 'index.mdx', old_text: '/guide/start', new_text: '/guide/none' }],
        ['finish', { title: 'Break', summary: 'Broke it.' }],
      ),
    );
    expect(err).toMatch(/Note to the model: Your changes .*\b1 new/);
    expect(err).toMatch(/New finding: index\.mdx:7 broken-link/);
    expect(code).toBe(0);
  });

  test('gives the rules of the project to the model and reads nothing else that is hidden', async () => {
    mkdirSync(join(docs, '.offprint'));
    writeFileSync(join(docs, '.offprint', 'AGENTS.md'), 'Always say please-and-thanks.');
    writeFileSync(join(docs, '.env'), 'SECRET=tell-nobody');
    const { err } = await local(doing(['list_files', {}], ['read_file', { path: '.env' }]));
    expect(err).toContain('Project rules: .offprint/AGENTS.md');
    const last = model.requests.at(-1);
    expect(last?.system).toContain('please-and-thanks');
    expect(last?.body).not.toContain('tell-nobody');
  });

  test('finds the rules of the repository that contains the folder', async () => {
    const root = mkdtempSync(join(work, 'repository-'));
    mkdirSync(join(root, '.git'));
    mkdirSync(join(root, '.offprint'));
    writeFileSync(join(root, '.offprint', 'AGENTS.md'), 'Rules of the whole repository.');
    renameSync(docs, join(root, 'docs'));
    docs = join(root, 'docs');
    const { code } = await local('What are the rules?');
    expect(code).toBe(0);
    expect(model.requests.at(-1)?.system).toContain('Rules of the whole repository.');
  });

  test('reports a model that does not respond, and continues when it does', async () => {
    model.faults.push({ step: 0, fault: { kind: 'status', status: 503 } });
    const { code, err } = await local(EDIT);
    expect(err).toMatch(/503.*\. Retrying in 2 s\./);
    expect(err).toContain('1 file written');
    expect(code).toBe(0);
  });

  test('exits with 1 and the reason when the model refuses the key', async () => {
    const { code, err } = await offprint(['run', '--local', docs, EDIT], {
      ...env(),
      OFFPRINT_AGENT_API_KEY: 'sk-wrong',
    });
    expect(code).toBe(1);
    expect(err).toContain('model_auth');
    expect(err).toContain('. Check OFFPRINT_AGENT_API_KEY and the name of the model. Nothing was written.');
    expect(textOf('guide/start.mdx')).toContain('Node 20');
  });

  test('prints the changes of a job that fails after them, and writes nothing', async () => {
    model.faults.push({ step: 1, fault: { kind: 'status', status: 400, message: 'No credit left' } });
    const { code, out, err } = await local(EDIT);
    expect(code).toBe(1);
    expect(out).toContain('+');
    expect(out).toContain('Node 24');
    expect(err).toContain(
      'No credit left. Nothing was written. The changes so far are the diff on standard output.',
    );
    expect(textOf('guide/start.mdx')).toContain('Node 20');
  });

  test('reports soon that nothing responds at the URL of the model', async () => {
    const { code, err } = await offprint(['run', '--local', docs, EDIT], {
      ...env(),
      OFFPRINT_AGENT_BASE_URL: 'http://127.0.0.1:9/v1',
    });
    expect(code).toBe(1);
    expect(err).toContain('Retrying in 8 s.');
    expect(err).toMatch(/The request failed 3 times .* OFFPRINT_AGENT_BASE_URL\)\. Nothing was written\.$/m);
    expect(err).not.toContain('Send a message');
  });

  test('exits with 2 without a model, for a missing folder, and for incompatible options', async () => {
    const none = await offprint(['run', '--local', docs, EDIT]);
    expect(none.code).toBe(2);
    expect(none.err).toContain('OFFPRINT_AGENT_PROVIDER');
    expect((await offprint(['run', '--local', join(docs, 'none'), EDIT], env())).code).toBe(2);
    const both = await local(EDIT, '--branch', 'x');
    expect(both.code).toBe(2);
    expect(both.err).toContain('--branch cannot be combined with --local.');
    const remote = await offprint(['run', EDIT, '--dry-run'], {
      OFFPRINT_API_KEY: 'x',
      OFFPRINT_PROJECT: 'p',
    });
    expect(remote.err).toContain('--dry-run requires --local.');
  });

  test.each([[[]], [['--json']]])('Ctrl-C prints the changes so far, with the options %j', async (more) => {
    model.faults.push({ step: 1, fault: { kind: 'hang' } });
    const before = model.requests.length;
    const running = start(['run', '--local', docs, EDIT, ...more], env());
    await expect.poll(() => model.requests.length - before, { timeout: 60_000 }).toBe(2);
    running.child.kill('SIGINT');
    const { code, out, err } = await running.end;
    expect(err).toMatch(/Interrupted\. Nothing was written\. The changes so far are .* on standard output\./);
    expect(code).toBe(130);
    const diff = more.length === 0 ? out : JSON.parse(out).diff;
    expect(diff).toContain('+The beta needs Node 24.');
    expect(textOf('guide/start.mdx')).toContain('Node 20');
  });

  test('--timeout ends it with 3 and nothing written', async () => {
    model.faults.push({ step: 0, fault: { kind: 'hang' }, times: 99 });
    const { code, err } = await local(EDIT, '--timeout', '1');
    expect(err).toContain('Timed out after 1 s. Nothing was written.');
    expect(code).toBe(3);
    expect(textOf('guide/start.mdx')).toContain('Node 20');
  });

  test('bench runs the tasks that are named and writes one record a run', async () => {
    script = ({ messages }) =>
      messages.length > 1
        ? { text: '9 attempts within 26 hours, as guides/retries says.' }
        : { calls: [{ name: 'search', input: { query: 'attempts within' } }] };
    const { code, out, err } = await offprint(
      ['bench', '--task', '10,15', '--runs', '2', '--json', 'runs.jsonl'],
      { ...env(), OFFPRINT_AGENT_PRICES: '1,2' },
    );
    expect(err).toContain('Model scripted, 2 tasks, 2 runs each');
    expect(code).toBe(0);
    expect(out).toMatch(/^10 {2}A question that requires no change +2\/2 /m);
    expect(out).toMatch(/^15 {2}A request that is not possible +0\/2 /m);
    expect(out).toContain('2 of 4 runs passed: 50 % (95 % interval 15 % to 85 %)');
    const records = readFileSync(join(work, 'runs.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records.map(({ task, run, passed }) => [task, run, passed])).toEqual([
      [10, 1, true],
      [10, 2, true],
      [15, 1, false],
      [15, 2, false],
    ]);
    expect(records[0]).toMatchObject({
      model: 'scripted',
      steps: 2,
      outcome: 'finished',
      collateralBytes: 0,
    });
    expect(records[0].costUsd).toBeGreaterThan(0);
    expect((await offprint(['bench', '--task', '99'], env())).code).toBe(2);
    const refused = await offprint(['bench', '--task', '10,15'], {
      ...env(),
      OFFPRINT_AGENT_API_KEY: 'sk-wrong',
    });
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('10 run 1  failed');
    expect(refused.err).not.toContain('10 run 2');
  });
});

describe('offprint agent on a server', () => {
  let lab: AgentLab;

  beforeAll(async () => {
    lab = await startAgentLab();
  });
  afterAll(() => lab.close());
  afterEach(() => {
    lab.model.faults.length = 0;
  });

  const env = () => ({
    OFFPRINT_URL: lab.platform.url,
    OFFPRINT_API_KEY: lab.tenant.key,
    OFFPRINT_PROJECT: lab.projectId,
  });
  const agent = (...args: string[]) => offprint(args, env());
  const EDIT = doing(
    ['update_plan', { items: [{ id: '1', text: 'Raise the number', status: 'in_progress' }] }],
    ['edit_file', { path: 'guide/limits.mdx', old_text: 'Ten requests', new_text: 'Twenty requests' }],
    ['finish', { title: 'Allow twenty requests', summary: 'The limit was raised.' }],
  );

  test('run shows plan, tools and files and prints the pull request and nothing else as data', async () => {
    const { code, out, err } = await agent('run', EDIT);
    expect(err).toContain('[>] Raise the number');
    expect(err).toContain('edit_file         guide/limits.mdx');
    expect(err).toContain('Checks: 0 new findings, 0 fixed');
    expect(out).toMatch(/^https?:\/\/\S+\/pull\/\d+\n$/);
    expect(code).toBe(0);
  });

  test('a message continues in the same pull request; list, show and archive include it', async () => {
    const first = JSON.parse((await agent('run', EDIT, '--json', '--draft')).out);
    const { code, out, err } = await agent(
      'message',
      first.id,
      doing(
        ['edit_file', { path: 'guide/limits.mdx', old_text: 'Twenty', new_text: 'Thirty' }],
        ['finish', { title: 'Allow thirty requests', summary: 'Raised again.' }],
      ),
    );
    expect(code).toBe(0);
    expect(out).toBe(`${first.prLink}\n`);
    // Steps before the message are not printed again.
    expect(err.match(/edit_file/g)).toHaveLength(1);
    const shown = await agent('show', first.id);
    expect(shown.out).toContain(`pull request  ${first.prLink}`);
    expect(shown.out).toContain('  Raised again.');
    expect((await agent('show', first.id, '--diff')).out).toContain('+Thirty requests a second.');
    expect((await agent('list')).out).toMatch(new RegExp(`^${first.id}  completed  .*${first.prLink}$`, 'm'));
    expect((await agent('archive', first.id)).out).toMatch(/^status +archived$/m);
    const late = await agent('message', first.id, 'More.');
    expect(late.code).toBe(2);
    expect(late.err).toContain('archived');
  });

  test('a question gets its reply on standard output, without a pull request', async () => {
    const { code, out } = await agent('run', 'How many requests are allowed?');
    expect(code).toBe(0);
    expect(out).toBe('Done as asked.\n');
  });

  test('run reports that the platform cannot be reached, and continues when it can', async () => {
    const relay = await startRelay(lab.platform.url);
    try {
      const running = start(['run', EDIT], { ...env(), OFFPRINT_URL: relay.url });
      await running.said('Job job_');
      await relay.disconnect();
      await running.said('The job is not lost. Trying again.');
      await relay.connect();
      const { code, out, err } = await running.end;
      expect(err).toContain(`Cannot reach ${relay.url}: `);
      expect(err).toContain('Checks: 0 new findings, 0 fixed');
      expect(out).toMatch(/^https?:\/\/\S+\/pull\/\d+\n$/);
      expect(code).toBe(0);
    } finally {
      await relay.disconnect();
    }
  });

  test('a failed job exits with 1 and its reason', async () => {
    lab.model.faults.push({ step: 0, fault: { kind: 'status', status: 400 } });
    const { code, out, err } = await agent('run', 'Do something.');
    expect(code).toBe(1);
    expect(out).toBe('');
    expect(err).toMatch(/Job job_\w+ failed \(model_unavailable\): /);
  });

  test('Ctrl-C exits with 130 and prints how to continue; the job continues until it is cancelled', async () => {
    lab.model.faults.push({ step: 0, fault: { kind: 'hang' }, times: 99 });
    const running = start(['run', 'Wait for ever.'], env());
    await running.said('Job job_');
    running.child.kill('SIGINT');
    const { code, err } = await running.end;
    expect(code).toBe(130);
    const id = /offprint agent cancel (job_\w+) --project/.exec(err)?.[1] ?? '';
    expect((await lab.read(id)).status).toBe('active');
    const cancelled = await agent('cancel', id, '--json');
    expect(JSON.parse(cancelled.out)).toMatchObject({ status: 'failed', failure: { code: 'cancelled' } });
  });

  test('--timeout exits with 3; the job continues', async () => {
    lab.model.faults.push({ step: 0, fault: { kind: 'hang' }, times: 99 });
    const { code, err } = await agent('run', 'Wait for ever.', '--timeout', '5');
    expect(code).toBe(3);
    const id = /offprint agent cancel (job_\w+) --project/.exec(err)?.[1] ?? '';
    expect((await agent('cancel', id)).code).toBe(0);
  });

  test('unknown keys, projects and jobs exit with 2', async () => {
    expect((await offprint(['run', 'x'], { ...env(), OFFPRINT_API_KEY: 'offprint_wrong' })).code).toBe(2);
    expect((await offprint(['list'], { ...env(), OFFPRINT_PROJECT: '' })).err).toContain('--project');
    const unknown = await agent('show', 'job_00000000000000000000000000000000');
    expect(unknown.code).toBe(2);
    expect((await agent('run', '  ')).code).toBe(2);
  });
});
