/** A process that a page blocks: arguments are the CPU limit in milliseconds and the pages, the last one endless. */
import { createPageGuard } from './page-guard.ts';

const [cpuMs = '', ...pages] = process.argv.slice(2);
const guard = createPageGuard(Number(cpuMs));
process.on('SIGTERM', () => process.exit(0));
for (const page of pages) guard.onPage(page);
for (;;);
