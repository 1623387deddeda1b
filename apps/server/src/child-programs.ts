import { basename, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChildPrograms } from './platform/sandbox/sandbox.ts';

/** Modules of the published package are in one folder. */
function moduleAt(path: string): string {
  const extension = extname(import.meta.filename);
  const file = extension === '.ts' ? path : basename(path);
  return fileURLToPath(new URL(`./${file}${extension}`, import.meta.url));
}

/** Every program that processes docs, and nothing else that a sandbox may start. */
export const CHILD_PROGRAMS = {
  render: { module: moduleAt('exports/render-child'), priority: 'background', slot: 'export' },
  // Beside the render that waits for it, so in slots of its own.
  images: { module: moduleAt('exports/images/image-child'), priority: 'background', slot: 'image' },
  paths: { module: moduleAt('exports/path-child'), priority: 'normal', slot: 'check' },
  queries: { module: moduleAt('exports/query-child'), priority: 'normal', slot: 'check' },
  connection: { module: moduleAt('projects/connection-child'), priority: 'normal', slot: 'check' },
  check: { module: moduleAt('agent/check/check-child'), priority: 'background', slot: 'check' },
} as const satisfies ChildPrograms;
