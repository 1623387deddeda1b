/** A hostile render process: it has native calls at hand and tries every probe, or starts many threads. */
import { openKernel } from '../src/platform/sandbox/open-kernel.ts';
import { serveOnce } from '../src/platform/sandbox/protocol.ts';
import { loadNativeCalls } from './native-calls.ts';
import { type ProbeTargets, tryProbes } from './probes.ts';

const opened = openKernel();
if ('missing' in opened) throw new Error(opened.missing);
const native = loadNativeCalls(opened.file);

serveOnce<ProbeTargets | 'threads' | 'wait', string, unknown>((input, { send }) => {
  if (typeof input === 'object') return tryProbes(input, native);
  if (input === 'threads') native.startThreads(2_000);
  send('begun');
  return new Promise(() => setInterval(() => undefined, 1_000));
});
