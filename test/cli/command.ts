/** The command as people and scripts run it: a process of its own, with folders that show what it leaves behind. */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { LINKED } from '../support/processes.ts';

export const BIN = fileURLToPath(new URL('../../apps/cli/bin/offprint.mjs', import.meta.url));

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  out: string;
  err: string;
}

export interface Place {
  cwd: string;
  /** Temporary files of the command. */
  temporary: string;
  home: string;
}

/** Three empty folders below `root`. */
export function makePlace(root: string): Place {
  const place = { cwd: join(root, 'cwd'), temporary: join(root, 'tmp'), home: join(root, 'home') };
  for (const folder of Object.values(place)) mkdirSync(folder, { recursive: true });
  return place;
}

export function start(place: Place, args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [...LINKED, BIN, ...args], {
    cwd: place.cwd,
    env: { PATH: process.env.PATH ?? '', HOME: place.home, TMPDIR: place.temporary, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  child.stdin.on('error', () => {});
  const ended = new Promise<Ended>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal, out, err })),
  );
  return { child, ended, out: () => out, err: () => err };
}

export function run(
  place: Place,
  args: readonly string[],
  options: { env?: Record<string, string>; input?: string } = {},
): Promise<Ended> {
  const { child, ended } = start(place, args, options.env);
  child.stdin.end(options.input ?? '');
  return ended;
}

/** Paths below the folders of a place, without caches. */
export function filesOf(place: Place): string[] {
  return [place.cwd, place.temporary, place.home]
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map(String))
    .filter((name) => !name.includes('node-compile-cache') && !/^\.cache(?:$|\/)/.test(name))
    .sort();
}

/** No stack trace, nothing of the program's own words for its insides, and the reason in one line. */
export function expectSentence(err: string, sentence: RegExp): void {
  expect(err).toMatch(sentence);
  expect(err).not.toMatch(/^\s+at .*:\d+:\d+/m);
  expect(err).not.toMatch(/node:internal|unexpected fault|Internal error|\[object/);
  const lines = err.split('\n').filter((line) => /^(?:offprint|error): /.test(line));
  expect(lines, err).toHaveLength(1);
}
