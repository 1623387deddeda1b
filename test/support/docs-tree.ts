/** Docs of tests as the base of an agent's workspace. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BaseEntry, BaseTree } from '../../apps/server/src/agent/workspace/workspace.ts';

/** A tree of regular files. */
export function treeOf(files: Record<string, string | Uint8Array>): BaseTree {
  const entries = new Map<string, BaseEntry>();
  for (const [path, written] of Object.entries(files)) {
    const content = typeof written === 'string' ? new TextEncoder().encode(written) : written;
    entries.set(path, { path, kind: 'file', executable: false, bytes: content.byteLength, content });
  }
  return { entries };
}

/** The regular files of a folder. */
export function treeOfFolder(folder: string): BaseTree {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return treeOf(Object.fromEntries(files.map((file) => [file.slice(folder.length + 1), readFileSync(file)])));
}
