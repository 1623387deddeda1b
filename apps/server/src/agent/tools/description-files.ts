import { posix } from 'node:path';
import type { OperationQuestion } from '../check/docs-check.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Files to which one description refers, and their characters. */
const MAX_FILES = 3000;
const MAX_LENGTH = 8_000_000;

/** Up to the fragment; found in the text, because the description is parsed in a child process only. */
const REFERENCE = /\$ref["']?\s{0,20}:\s{0,20}["']?([^\s"'#,}]{1,500})/g;

/** Other files that are needed to read an API description: targets of references, and overlays that docs.json names. */
export function descriptionFiles(
  workspace: Workspace,
  path: string,
  text: string,
): Pick<OperationQuestion, 'files' | 'overlays'> {
  const overlays = overlaysOf(workspace, path);
  const files: Record<string, string> = {};
  const queue = [...overlays, ...targetsOf(text, path)];
  const seen = new Set([path]);
  let left = MAX_LENGTH;
  for (let next = queue.shift(); next !== undefined && seen.size <= MAX_FILES; next = queue.shift()) {
    if (seen.has(next)) continue;
    seen.add(next);
    const content = workspace.read(next);
    if (content === null || content.length > left) continue;
    left -= content.length;
    files[next] = content;
    queue.push(...targetsOf(content, next));
  }
  return { files, overlays };
}

/** Files inside of the docs root to which a text refers, each once. */
function targetsOf(text: string, path: string): Set<string> {
  const targets = new Set<string>();
  for (const [, reference = ''] of text.matchAll(REFERENCE)) {
    if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(reference)) continue;
    const target = docsPath(reference, path);
    if (target !== null) targets.add(target);
  }
  return targets;
}

/** A path from the docs root, of a reference that is relative to a file; null outside of the docs root. */
function docsPath(written: string, from: string): string | null {
  let plain = written;
  try {
    plain = decodeURIComponent(written);
  } catch {
    // It is not a URL; used as written.
  }
  const path = plain.startsWith('/') ? plain.slice(1) : posix.join(posix.dirname(from), plain);
  return path.startsWith('../') || path === '..' ? null : posix.normalize(path);
}

/** `api.openapi[].overlays` of docs.json for a description. */
function overlaysOf(workspace: Workspace, path: string): string[] {
  let docs: { api?: { openapi?: unknown } } | null;
  try {
    docs = JSON.parse(workspace.read('docs.json') ?? 'null');
  } catch {
    // Checks report it.
    return [];
  }
  const written = docs?.api?.openapi;
  return (Array.isArray(written) ? written : [written]).flatMap((item) => {
    const { source, overlays }: { source?: unknown; overlays?: unknown } = item ?? {};
    if (typeof source !== 'string' || docsPath(source, '') !== path || !Array.isArray(overlays)) return [];
    return overlays.flatMap((one) => {
      const overlay = typeof one === 'string' ? docsPath(one, '') : null;
      return overlay === null || !workspace.has(overlay) ? [] : [overlay];
    });
  });
}
