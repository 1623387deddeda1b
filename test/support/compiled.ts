/**
 * Loaded before tests and before the platforms they start, whose sandbox children take their modules compiled from
 * where compiled-setup.ts keeps them.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCompiled } from '../../apps/server/src/platform/sandbox/compiled.ts';

const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/offprint-tests', import.meta.url));
/** Compile cache of processes that tests start outside the sandbox. */
export const COMPILED_PROCESSES = join(FOLDER, 'processes');
/** Compile cache of the sandbox. */
export const COMPILED_CHILDREN = join(FOLDER, 'children');

readCompiled(COMPILED_CHILDREN);
