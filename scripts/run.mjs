// Runs a child, passes signals on and returns its exit code. Plain JavaScript for Node 18 and newer.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, dirname } from 'node:path';
import { isatty } from 'node:tty';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];

/** Resolves with the exit code; a signal that ends the child gives 128 + its number, as shells do. */
export function run(node, args, options = {}) {
  return new Promise((resolve, reject) => {
    const path = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`;
    const child = spawn(node, args, {
      stdio: 'inherit',
      ...options,
      env: { ...process.env, PATH: path, ...options.env },
    });
    // A terminal sends Ctrl-C to the whole process group. Passed on again, it would be the second Ctrl-C, which
    // ends commands at once.
    const hasTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
    const forward = (signal) => {
      if (signal !== 'SIGINT' || !hasTerminal) child.kill(signal);
    };
    const signals = process.platform === 'win32' ? SIGNALS.slice(0, 3) : SIGNALS;
    for (const signal of signals) process.on(signal, forward);
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      for (const each of signals) process.off(each, forward);
      resolve(code ?? 128 + (constants.signals[signal] ?? 1));
    });
  });
}
