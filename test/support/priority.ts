/**
 * Loaded before tests: children of the sandbox run at the priority of the tests, as those of a platform with
 * OFFPRINT_EXPORT_NICE=0. At a lower one, they would wait for whatever else the machine has to do.
 */
import { setChildNiceness } from '../../apps/server/src/platform/sandbox/isolation.ts';

setChildNiceness(0);
