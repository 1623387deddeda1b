import { expect, test } from 'vitest';
import { type PhaseFault, runPhases, stopOnSignal } from './shutdown.ts';

test('phases run in order, and a failure or a hang does not keep the rest from running', async () => {
  const order: string[] = [];
  const phase = (name: string, run: () => Promise<unknown>) => ({
    name,
    ms: 50,
    run: async () => {
      order.push(name);
      await run();
    },
  });
  const faults = await runPhases([
    phase('claiming', async () => {}),
    phase('handlers', () => new Promise(() => {})),
    phase('server', async () => {
      throw new Error('port is stuck');
    }),
    {
      name: 'sync',
      ms: 50,
      run: () => {
        throw new Error('thrown at once');
      },
    },
    phase('database', async () => {}),
  ]);
  expect(order).toEqual(['claiming', 'handlers', 'server', 'database']);
  expect(faults.map(({ phase: name, error }) => [name, error.message])).toEqual([
    ['handlers', 'handlers did not end within 50 ms'],
    ['server', 'port is stuck'],
    ['sync', 'thrown at once'],
  ]);
});

test('the first signal stops in order, the second ends the process at once', async () => {
  const exits: number[] = [];
  const stopped: string[] = [];
  let finish: (faults: PhaseFault[]) => void = () => {};
  const remove = stopOnSignal({
    stop: (signal) => {
      stopped.push(signal);
      return new Promise((resolve) => {
        finish = resolve;
      });
    },
    onFault: () => {},
    exit: (code) => void exits.push(code),
  });
  process.emit('SIGTERM', 'SIGTERM');
  expect(exits).toEqual([]);
  process.emit('SIGINT', 'SIGINT');
  expect([stopped, exits]).toEqual([['SIGTERM'], [130]]);
  finish([]);
  await expect.poll(() => exits).toEqual([130, 0]);
  remove();
});

test('an error is reported and makes the exit code 1', async () => {
  for (const stop of [
    async () => [{ phase: 'queue', error: new Error('stuck') }],
    () => Promise.reject(new Error('stuck')),
  ]) {
    const exits: number[] = [];
    const told: string[] = [];
    const remove = stopOnSignal({
      stop,
      onFault: ({ error }) => void told.push(error.message),
      exit: (code) => void exits.push(code),
    });
    process.emit('SIGINT', 'SIGINT');
    await expect.poll(() => exits).toEqual([1]);
    expect(told).toEqual(['stuck']);
    remove();
  }
});
