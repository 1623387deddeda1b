/**
 * Loaded before tests: children of the sandbox stand where the tests stand, as the children of a platform with
 * OFFPRINT_EXPORT_NICE=0. Behind them, they would wait for whatever else the machine has to do.
 */
import { standBehind } from '../../apps/server/src/platform/sandbox/isolation.ts';

standBehind(0);
