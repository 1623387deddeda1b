/**
 * Loaded before tests and before the platforms they start: children of the sandbox stand where the tests stand. Behind
 * them, they would wait for whatever else the machine has to do.
 */
import { standBehind } from '../../apps/server/src/platform/sandbox/isolation.ts';

standBehind(0);
