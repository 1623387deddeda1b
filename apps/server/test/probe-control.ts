/** Tries every probe in a process without any isolation. Reads the targets from standard input, writes the outcomes. */
import { readFileSync } from 'node:fs';
import { openKernel } from '../src/platform/sandbox/open-kernel.ts';
import { loadNativeCalls } from './native-calls.ts';
import { type ProbeTargets, tryProbes } from './probes.ts';

const opened = openKernel();
if ('missing' in opened) throw new Error(opened.missing);
const targets = JSON.parse(readFileSync(0, 'utf8')) as ProbeTargets;
const outcomes = await tryProbes(targets, loadNativeCalls(opened.file));
process.stdout.write(JSON.stringify(outcomes));
process.exit(0);
