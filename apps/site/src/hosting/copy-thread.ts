import { Worker } from 'node:worker_threads';
import { type CopyTask, createCopyWork } from './copy-work.ts';

/** Makes compressed copies of small files in a thread with a lower priority than requests. */
export interface CopyThread {
  /** One call at a time. Rejects if the file is missing or damaged, or if the copy cannot be written. */
  make(task: CopyTask): Promise<void>;
  end(): Promise<void>;
}

interface Reply {
  /** Null: done. */
  error: Error | null;
}

/** Memory of the thread's own values in MB; files are outside of it. */
const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 };

/** The thread starts with the first copy. One that has ended is started again. */
export function createCopyThread(): CopyThread {
  let worker: Worker | null = null;
  let settle: (reply: Reply) => void = () => {};
  const start = (): Worker => {
    const started = new Worker(THREAD, { eval: true, execArgv: [], env: {}, resourceLimits });
    const fail = (error: Error): void => {
      if (worker === started) worker = null;
      settle({ error });
    };
    started.on('message', (reply: Reply) => settle(reply));
    started.on('error', fail);
    started.on('exit', () => fail(new Error('The thread that compresses files has ended.')));
    started.unref();
    return started;
  };
  return {
    make(task) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      settle = ({ error }) => (error === null ? resolve() : reject(error));
      worker ??= start();
      worker.postMessage(task);
      return promise;
    },
    async end() {
      await worker?.terminate();
      worker = null;
    },
  };
}

/** On Linux, the priority is that of the thread; elsewhere it would be that of the process. */
const THREAD = `
const { parentPort } = require('node:worker_threads');
if (process.platform === 'linux') {
  const { constants, setPriority } = require('node:os');
  try { setPriority(constants.priority.PRIORITY_BELOW_NORMAL); } catch {}
}
const work = (${createCopyWork.toString()})({
  crypto: require('node:crypto'), fs: require('node:fs'), zlib: require('node:zlib'),
});
parentPort.on('message', (task) => {
  let error = null;
  try { work(task); } catch (thrown) { error = thrown; }
  parentPort.postMessage({ error });
});
`;
