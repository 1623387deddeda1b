/**
 * What an agent job costs before its first call of the model, and to read all pages for its first tool, on a large
 * repository behind Git over HTTP: CPU time of the process and of Git, peak memory of the process, and bytes fetched.
 *
 *   node bench/agent.ts [--pages 25000] [--kilobytes 13]
 *
 * Each row is a new process, as a job of a worker: the first job of a project, a second one on the same commit, one
 * after a commit that changed a page, and one that may not keep anything.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { projectFacts } from '../apps/server/src/agent/prompt/project-facts.ts';
import { openGitBase } from '../apps/server/src/agent/workspace/git-base.ts';
import { createWorkspace } from '../apps/server/src/agent/workspace/overlay.ts';
import { openRemote } from '../apps/server/src/platform/git/open-remote.ts';
import { DEFAULT_GIT_LIMITS } from '../apps/server/src/platform/git/policy.ts';
import { type Entry, startGitServer } from '../test/support/git-server.ts';

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '25000' },
    kilobytes: { type: 'string', default: '13' },
    attempt: { type: 'string' },
    folder: { type: 'string', default: '' },
    mirror: { type: 'string' },
  },
});

/** Seconds of CPU time of this process and of its children that ended, and its peak memory in MB. */
function spent(): { own: number; git: number; memory: number } {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map((ticks) => Number(ticks) / 100);
  const memory = process.resourceUsage().maxRSS / 1024;
  return { own: user + system, git: childUser + childSystem, memory };
}

/** The part of a job before its model is called, and then the reading of all pages, as its first tool needs them. */
async function attempt(repository: string): Promise<void> {
  const { signal } = new AbortController();
  const start = spent();
  const remote = await openRemote(
    {
      repository,
      credential: async () => null,
      policy: { allowPrivate: true, allowedHosts: [], allowHttp: ['*'] },
      limits: DEFAULT_GIT_LIMITS,
      folder: values.folder,
      mirror: values.mirror,
    },
    signal,
  );
  const { commit } = await remote.fetchCommit('main', signal);
  const base = await openGitBase(remote, { commit, folder: '', scratch: values.folder }, signal);
  const workspace = createWorkspace(base, new Map());
  projectFacts(workspace);
  const called = spent();
  await base.load();
  const found = workspace.list().filter(({ path }) => workspace.read(path)?.includes('needle') === true);
  const loaded = spent();
  await remote.close();
  const row = [
    called.own - start.own,
    called.git,
    called.memory,
    loaded.own - called.own,
    loaded.git - called.git,
    loaded.memory,
  ];
  process.stdout.write(`${JSON.stringify({ row, found: found.length })}\n`);
}

/** Words that look random and are the same in every run. */
function pageText(seed: number, bytes: number): string {
  let state = seed + 1;
  let text = `---\ntitle: Page ${seed}\n---\n`;
  while (text.length < bytes) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    text += `${(state >>> 8).toString(36)}${state % 11 === 0 ? '.\n\n' : ' '}`;
  }
  return text;
}

function site(pages: number, bytes: number): Entry[] {
  const paths = Array.from({ length: pages }, (_, n) => `part-${Math.floor(n / 100)}/page-${n}`);
  const groups = Array.from({ length: Math.ceil(pages / 100) }, (_, n) => ({
    group: `Part ${n}`,
    pages: paths.slice(n * 100, (n + 1) * 100),
  }));
  const config = { theme: 'mint', name: 'Bench', colors: { primary: '#2563ea' }, navigation: { groups } };
  return [
    { path: 'docs.json', content: JSON.stringify(config, null, 2) },
    ...paths.map((path, n) => ({ path: `${path}.mdx`, content: pageText(n, bytes) })),
  ];
}

async function main(): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'offprint-bench-'));
  let sockets: { bytesWritten: number }[] = [];
  const server = await startGitServer({
    intercept(_request, { socket }) {
      if (socket !== null && !sockets.includes(socket)) sockets.push(socket);
      return false;
    },
  });
  const run = async (name: string, mirror: string | null): Promise<void> => {
    sockets = [];
    const args = ['--attempt', `${server.url}/docs.git`, '--folder', join(work, 'job')];
    const child = spawn(
      process.execPath,
      [fileURLToPath(import.meta.url), ...args, ...(mirror === null ? [] : ['--mirror', mirror])],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let output = '';
    child.stdout.on('data', (text) => {
      output += text;
    });
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`${name} exited with ${code}`);
    const fetched = sockets.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0) / 1e6;
    const { row }: { row: number[] } = JSON.parse(output);
    const cells = row.map((value, index) => value.toFixed(index % 3 === 2 ? 0 : 2));
    process.stdout.write(`| ${[name, fetched.toFixed(2), ...cells].join(' | ')} |\n`);
  };
  process.stdout.write(
    [
      `${cpus().length} cores (${cpus()[0]?.model}), Node ${process.versions.node}, ${values.pages} pages of ${values.kilobytes} kB`,
      '',
      '| job | fetched MB | CPU s until the model | of Git | peak memory MB | CPU s to read all | of Git | peak memory MB |',
      '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
      '',
    ].join('\n'),
  );
  try {
    const entries = site(Number(values.pages), Number(values.kilobytes) * 1000);
    const parent = await server.commit('docs.git', entries);
    const mirror = join(work, 'mirror');
    await run('first job', mirror);
    await run('second job', mirror);
    entries[1] = { path: 'part-0/page-0.mdx', content: 'changed' };
    await server.commit('docs.git', entries, { parent });
    await run('after a commit', mirror);
    await run('without a copy', null);
  } finally {
    await server.close();
    rmSync(work, { recursive: true, force: true });
  }
}

await (values.attempt === undefined ? main() : attempt(values.attempt));
