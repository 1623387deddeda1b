import { join } from 'node:path';
import { pino } from 'pino';
import { CHILD_PROGRAMS } from '../../apps/server/src/child-programs.ts';
import { createSandbox, type Sandbox } from '../../apps/server/src/platform/sandbox/sandbox.ts';

/** A sandbox of this process with the programs of the platform, whose folders are in `folder`. */
export function sandboxIn(folder: string): Sandbox {
  return createSandbox({
    programs: CHILD_PROGRAMS,
    folder: join(folder, 'sandbox'),
    log: pino({ level: 'silent' }),
  });
}
