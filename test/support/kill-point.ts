/**
 * Loaded into a process by `--import`: kills it with SIGKILL at the n-th change of its volume in a phase, just
 * before or just after the change. KILL_VOLUME names the folder, KILL_PHASE and KILL_COUNT the point, KILL_WHEN the
 * side. With KILL_TRACE each change is noted in that file as `<phase> <call> <name>` instead.
 */
import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { relative } from 'node:path';
import { isMainThread } from 'node:worker_threads';

const {
  KILL_VOLUME: volume = '',
  KILL_PHASE: phase = '',
  KILL_COUNT: count = '0',
  KILL_WHEN: when = 'before',
  KILL_TRACE: trace,
} = process.env;

const note = fs.appendFileSync;
const tell = fs.writeSync;
const places = new WeakMap<object, string>();
let left = Number(count);

/** What the process is at when it changes this path. */
function phaseOf(call: string, path: string): string | null {
  const name = relative(volume, path);
  // the folder itself is made at the start, and synced in a switch
  if (name === '') return call === 'sync' ? 'swap' : 'lease';
  if (name.startsWith('..')) return null;
  if (name.endsWith('.encoded') || name.includes('.encoded/')) return 'encode';
  if (name.endsWith('.part')) return call === 'rm' ? 'sweep' : 'download';
  if (name.endsWith('.old')) return 'sweep';
  if (/\.new(\.[0-9a-f]+\.tmp)?(\/|$)/.test(name)) {
    if (call === 'rename') return 'swap';
    return call === 'rm' ? 'sweep' : 'unpack';
  }
  if (name.endsWith('pointer.tmp') || name === 'current') return 'swap';
  if (name.startsWith('.process-')) return 'lease';
  return call === 'rename' || call === 'rm' ? 'sweep' : 'other';
}

/** True when the process is to die here. */
function isHere(call: string, path: string): boolean {
  const found = isMainThread ? phaseOf(call, path) : null;
  if (found === null) return false;
  if (trace !== undefined) note(trace, `${found} ${call} ${relative(volume, path)}\n`);
  if (found !== phase) return false;
  left -= 1;
  return left === 0;
}

function die(call: string, path: string): void {
  tell(2, `killed ${when} ${call} ${relative(volume, path)}\n`);
  process.kill(process.pid, 'SIGKILL');
}

type Call = (...args: unknown[]) => unknown;

function watch(object: object, name: string, pathOf: (self: object, args: unknown[]) => string | null): void {
  const calls = object as Record<string, Call>;
  const original = calls[name];
  if (original === undefined) throw new Error(`no ${name} to watch`);
  calls[name] = function (this: object, ...args: unknown[]): unknown {
    const path = pathOf(this, args);
    const dies = path !== null && isHere(name, path);
    if (dies && when === 'before') die(name, path);
    const result = original.apply(this, args);
    if (!(result instanceof Promise)) {
      if (dies) die(name, path ?? '');
      return result;
    }
    return result.then((value: unknown) => {
      if (dies) die(name, path ?? '');
      if (name === 'open' && typeof value === 'object' && value !== null) places.set(value, String(args[0]));
      return value;
    });
  };
}

const first = (_self: object, args: unknown[]): string => String(args[0]);
const writing = (self: object, args: unknown[]): string | null =>
  args[1] === undefined || args[1] === 'r' ? null : first(self, args);
const handle = (self: object): string | null => places.get(self) ?? null;

const opened = await promises.open('/dev/null');
const prototype = Object.getPrototypeOf(opened) as object;
await opened.close();
for (const name of ['write', 'writeFile', 'sync', 'truncate']) watch(prototype, name, handle);
// a folder or a file is opened for reading before it is synced: only what is opened is known
watch(promises, 'open', writing);
for (const name of ['mkdir', 'rename', 'rm', 'writeFile']) watch(promises, name, first);
watch(fs, 'writeFileSync', first);
syncBuiltinESMExports();
