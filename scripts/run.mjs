// Runs a child with the project's Node, passes signals on and ends as it ended.
import { spawn } from 'node:child_process';
import { delimiter, dirname } from 'node:path';

/** Resolves with the exit code; a signal that ends the child gives 128 + its number, as shells do. */
export function run(node, args, options = {}) {
  return new Promise((resolve, reject) => {
    const path = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`;
    const child = spawn(node, args, {
      stdio: 'inherit',
      ...options,
      env: { ...process.env, PATH: path, ...options.env },
    });
    // A terminal sends Ctrl-C to the whole group; the child decides when to stop, this process only waits.
    const ignore = () => {};
    const forward = (signal) => child.kill(signal);
    process.on('SIGINT', ignore);
    process.on('SIGTERM', forward);
    process.on('SIGHUP', forward);
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      process.off('SIGINT', ignore);
      process.off('SIGTERM', forward);
      process.off('SIGHUP', forward);
      resolve(code ?? 128 + ({ SIGINT: 2, SIGKILL: 9, SIGTERM: 15, SIGHUP: 1 }[signal] ?? 1));
    });
  });
}
