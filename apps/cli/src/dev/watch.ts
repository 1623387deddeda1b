import { relative, sep } from 'node:path';
import { watch } from 'chokidar';

/** Editors write a file in several steps; what comes within this time is one change. */
const SETTLE_MS = 12;
/** A stream of changes is not waited for longer than this. */
const LONGEST_WAIT_MS = 150;

const SKIPPED = new Set(['.git', 'node_modules']);

/**
 * Watches a folder with everything below it. `onChange` gets the paths that changed, from the folder, with slashes;
 * resolves when the watch stands. The function that it resolves with ends the watch.
 */
export async function watchFolder(
  dir: string,
  onChange: (paths: readonly string[]) => void,
  onFault: (error: unknown) => void,
): Promise<() => Promise<void>> {
  const pathOf = (file: string): string => relative(dir, file).split(sep).join('/');
  const watcher = watch(dir, {
    ignoreInitial: true,
    followSymlinks: false,
    ignored: (file) =>
      pathOf(file)
        .split('/')
        .some((segment) => SKIPPED.has(segment)),
  });
  let pending = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let deadline = 0;
  const flush = (): void => {
    const paths = [...pending].sort();
    pending = new Set();
    onChange(paths);
  };
  watcher.on('all', (_event, file) => {
    const now = performance.now();
    if (pending.size === 0) deadline = now + LONGEST_WAIT_MS;
    pending.add(pathOf(file));
    clearTimeout(timer);
    timer = setTimeout(flush, Math.max(0, Math.min(SETTLE_MS, deadline - now)));
  });
  watcher.on('error', onFault);
  await new Promise<void>((resolve) => watcher.once('ready', () => resolve()));
  return async () => {
    clearTimeout(timer);
    await watcher.close();
  };
}
