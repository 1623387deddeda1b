import { relative, sep } from 'node:path';
import { watch } from 'chokidar';

/** Editors write a file in several steps; events within this time are one change. */
const SETTLE_MS = 12;
/** Maximum delay of a change while more events arrive. */
const MAX_WAIT_MS = 150;

const SKIPPED = new Set(['.git', 'node_modules']);

/**
 * Watches a folder recursively. `onChange` gets the changed paths, relative to the folder, with slashes. Resolves when
 * the watcher is ready, with a function that stops it.
 */
export async function watchFolder(
  dir: string,
  onChange: (paths: readonly string[]) => void,
  onError: (error: unknown) => void,
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
    if (pending.size === 0) deadline = now + MAX_WAIT_MS;
    pending.add(pathOf(file));
    clearTimeout(timer);
    timer = setTimeout(flush, Math.max(0, Math.min(SETTLE_MS, deadline - now)));
  });
  watcher.on('error', onError);
  await new Promise<void>((resolve) => watcher.once('ready', () => resolve()));
  return async () => {
    clearTimeout(timer);
    await watcher.close();
  };
}
