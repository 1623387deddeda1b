/** Where the time of one command goes, by part of the program. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface ProfileNode {
  id: number;
  callFrame: { functionName: string; url: string };
  children?: number[];
}

interface Profile {
  nodes: ProfileNode[];
  samples: number[];
  timeDeltas: number[];
}

/** Rows of a Markdown table: part, ms of the main thread, share. `args` are those of Node. */
export function profileTable(args: readonly string[], cwd: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'offprint-profile-'));
  try {
    const child = spawnSync(process.execPath, ['--cpu-prof', '--cpu-prof-dir', folder, ...args], {
      cwd,
      encoding: 'utf8',
    });
    if (child.status !== 0) throw new Error(child.stderr);
    const [longest] = readdirSync(folder)
      .map((name): Profile => JSON.parse(readFileSync(join(folder, name), 'utf8')))
      .map((profile) => timesByPart(profile))
      .sort((a, b) => busy(b) - busy(a));
    const times = longest ?? new Map<string, number>();
    const total = busy(times);
    return [
      '| part of the program, main thread | ms | share |',
      '| --- | ---: | ---: |',
      ...[...times]
        .filter(([part, time]) => part !== IDLE && time > total / 200)
        .sort((a, b) => b[1] - a[1])
        .map(([part, time]) => `| ${part} | ${time.toFixed(0)} | ${((100 * time) / total).toFixed(0)}% |`),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const IDLE = 'idle';

function busy(times: ReadonlyMap<string, number>): number {
  return [...times].reduce((sum, [part, time]) => (part === IDLE ? sum : sum + time), 0);
}

/** Time of each part in ms. What Node does for a function of the program counts for its part. */
function timesByPart({ nodes, samples, timeDeltas }: Profile): Map<string, number> {
  const parts = new Map<number, string>();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const open: [ProfileNode, string][] = nodes.slice(0, 1).map((root) => [root, 'start and modules']);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, above] = next;
    const part = partOf(node.callFrame) ?? above;
    parts.set(node.id, part);
    for (const id of node.children ?? []) {
      const child = byId.get(id);
      if (child !== undefined) open.push([child, part]);
    }
  }
  const times = new Map<string, number>();
  for (const [at, id] of samples.entries()) {
    const part = parts.get(id) ?? 'other';
    times.set(part, (times.get(part) ?? 0) + (timeDeltas[at] ?? 0) / 1000);
  }
  return times;
}

function partOf({ functionName, url }: ProfileNode['callFrame']): string | null {
  if (functionName === '(idle)') return IDLE;
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (/\/node_modules\/satteri\//.test(url)) return 'render/mdx';
  const [, render] = /\/packages\/render\/src\/([\w-]+)/.exec(url) ?? [];
  // What calls the others: their time is that of what they call.
  if (render !== undefined)
    return /^(?:render|open-site|preview|site)$/.test(render) ? 'render' : `render/${render}`;
  if (/\/packages\/bundle\//.test(url)) return 'bundle';
  return null;
}
