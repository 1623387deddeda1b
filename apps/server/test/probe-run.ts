/**
 * A platform under attack: starts the render process of one organization, tries all probes from that of another, first
 * without isolation and then with it, and writes a ProbeReport to standard output.
 */
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { denyTracing } from '../src/platform/sandbox/deny-tracing.ts';
import type { IsolationFacts } from '../src/platform/sandbox/isolation.ts';
import { openKernel } from '../src/platform/sandbox/open-kernel.ts';
import { isolationFacts } from '../src/platform/sandbox/report.ts';
import { runChild } from '../src/platform/sandbox/run-child.ts';
import type { ProbeTargets } from './probes.ts';

export interface ProbeReport {
  user: number | undefined;
  facts: IsolationFacts;
  /** Outcome of each probe by its name. */
  control: Record<string, string>;
  isolated: Record<string, string>;
  /** What the targets noticed from the isolated child; empty. */
  noticed: string[];
  /** Whether another process of the same user can read the environment of this one. */
  environmentIsOpen: boolean;
}

const SECRET = 'canary-4917';
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const MODULE = here('./probe-child.ts');
const MODULES = here('../../../node_modules');

const root = mkdtempSync(join(tmpdir(), 'offprint-probes-'));
const folder = (name: string): string => {
  mkdirSync(join(root, name), { recursive: true });
  return join(root, name);
};
const file = (name: string, content: string): string => {
  writeFileSync(join(root, name), content);
  return join(root, name);
};

const noticed: string[] = [];
const notice = (what: string) => () => void noticed.push(what);
const listen = async (where: { port: number; host: string } | { path: string }): Promise<number> => {
  const server = createServer((socket) => {
    notice(JSON.stringify(where))();
    socket.destroy();
  });
  server.listen(where).unref();
  await once(server, 'listening');
  return 'path' in where ? 0 : (server.address() as AddressInfo).port;
};
const udp = createSocket('udp4').unref();
udp.on('message', (query, { port, address }) => {
  notice('a datagram')();
  // The response of a name server that refuses the query.
  if (query.length < 12) return;
  query.writeUInt16BE(0x8185, 2);
  udp.send(query, port, address);
});
udp.bind(0, '127.0.0.1');
await once(udp, 'listening');

const opened = openKernel();
if ('missing' in opened) throw new Error(opened.missing);
const readable = folder('source');
file('source/page.md', 'page');
copyFileSync(opened.file, join(readable, 'evil.node'));
const [parser = ''] = readdirSync(join(MODULES, '@oxc-parser')).map((name) =>
  join(MODULES, '@oxc-parser', name),
);
folder('secrets');
const otherFolder = folder('other');
const otherOutput = folder('other-output');
const abstract = `offprint-probe-${process.pid}`;
await listen({ path: `\0${abstract}` });
await listen({ path: join(root, 'socket') });

const limits = { cpuMs: 300_000, wallMs: 600_000, memoryMb: 256, outputBytes: 100_000_000 };
const over = new AbortController();
const otherRender = Promise.withResolvers<void>();
const otherEnd = runChild<string, string, unknown>({
  module: MODULE,
  input: 'wait',
  readable: [otherFolder],
  writable: otherOutput,
  limits,
  signal: over.signal,
  onMessage: () => otherRender.resolve(),
}).catch(() => undefined);
await otherRender.promise;

const targets: ProbeTargets = {
  root,
  readable,
  writable: folder('control-output'),
  secret: file('secrets/database-url', SECRET),
  otherPage: file('other/page.md', 'page of another organization'),
  otherFolder,
  victim: file('victim', 'content'),
  parent: process.pid,
  other: renderOf(process.pid),
  tcp4: await listen({ port: 0, host: '127.0.0.1' }),
  tcp6: await listen({ port: 0, host: '::1' }),
  udp: udp.address().port,
  socket: join(root, 'socket'),
  abstract,
  unlisted:
    readdirSync(parser)
      .map((name) => join(parser, name))
      .find((name) => name.endsWith('.node')) ?? '',
};

const control = await withoutIsolation();
denyTracing();
const environmentIsOpen = await canRead(`/proc/${process.pid}/environ`);
noticed.length = 0;
const isolated = await runChild<ProbeTargets, never, Record<string, string>>({
  module: MODULE,
  input: { ...targets, writable: folder('output') },
  readable: [readable],
  writable: join(root, 'output'),
  limits,
  signal: over.signal,
  onMessage: () => undefined,
});
over.abort();
await otherEnd;
const report: ProbeReport = {
  user: process.getuid?.(),
  facts: await isolationFacts(),
  control,
  isolated,
  noticed,
  environmentIsOpen,
};
rmSync(root, { recursive: true, force: true });
process.stdout.write(JSON.stringify(report), () => process.exit(0));

async function withoutIsolation(): Promise<Record<string, string>> {
  // The other render protects itself too; this one does not.
  const other = spawn('/bin/sleep', ['1000'], { stdio: 'ignore' });
  const child = spawn(process.execPath, [here('./probe-control.ts')], {
    env: { PROBE_SECRET: SECRET },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify({ ...targets, other: other.pid }));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await once(child, 'close');
  other.kill('SIGKILL');
  return JSON.parse(output) as Record<string, string>;
}

async function canRead(path: string): Promise<boolean> {
  const child = spawn('/bin/cat', [path], { env: {}, stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  return code === 0;
}

/** The process in which the other render runs, below its wrappers. */
function renderOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children === '' ? pid : renderOf(Number(children.split(' ')[0]));
}
