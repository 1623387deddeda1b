import { expect, test } from 'vitest';
import { createFairSlots, type FairSlotsOptions } from './fair-slots.ts';

const slotsOf = (options: Partial<FairSlotsOptions> = {}) =>
  createFairSlots({
    slots: 2,
    maxWaitingPerOwner: 3,
    maxWaiting: 10,
    maxWaitMs: 60_000,
    sliceMs: 60_000,
    ...options,
  });
const settle = () => new Promise(setImmediate);
const never = new AbortController().signal;

/** Tasks that note their start and run until they are ended. */
function createTasks() {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const task = (name: string) => (slice: AbortSignal) =>
    new Promise<string>((resolve, reject) => {
      started.push(name);
      ends.set(name, () => resolve(name));
      slice.addEventListener('abort', () => reject(slice.reason));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await settle();
  };
  return { started, task, end };
}

test('owners take turns, however many tasks one of them has', async () => {
  const slots = slotsOf({ slots: 1 });
  const { started, task, end } = createTasks();
  const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => slots.run(name[0]!, never, task(name)));
  await settle();
  for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']) {
    expect(started.at(-1)).toBe(name);
    await end(name);
  }
  await Promise.all(all);
});

test('one owner has one running task, and other slots stay free for others', async () => {
  const slots = slotsOf({ slots: 3 });
  const { started, task, end } = createTasks();
  const all = ['a1', 'a2', 'b1'].map((name) => slots.run(name[0]!, never, task(name)));
  await settle();
  expect(started).toEqual(['a1', 'b1']);
  for (const name of ['a1', 'a2', 'b1']) await end(name);
  await Promise.all(all);
  expect(started).toEqual(['a1', 'b1', 'a2']);
});

test('rejects tasks beyond the queue of the owner and the queue of all', async () => {
  const slots = slotsOf({ slots: 1, maxWaitingPerOwner: 2, maxWaiting: 3 });
  const { task, end } = createTasks();
  const all = ['a1', 'a2', 'a3', 'b1'].map((name) => slots.run(name[0]!, never, task(name)));
  await expect(slots.run('a', never, task('a4'))).rejects.toMatchObject({ reason: 'owner-queue-full' });
  await expect(slots.run('c', never, task('c1'))).rejects.toMatchObject({ reason: 'queue-full' });
  // What is left running would be ended during the tests of another file.
  for (const name of ['a1', 'a2', 'b1', 'a3']) await end(name);
  await Promise.all(all);
});

test('a task that waits too long, or whose caller leaves, gets no slot later', async () => {
  const slots = slotsOf({ slots: 1, maxWaitMs: 20 });
  const { started, task, end } = createTasks();
  const first = slots.run('a', never, task('a1'));
  const caller = new AbortController();
  const left = slots.run('b', caller.signal, task('b1'));
  caller.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  await expect(slots.run('c', never, task('c1'))).rejects.toMatchObject({ reason: 'waited-too-long' });
  await end('a1');
  await first;
  expect(started).toEqual(['a1']);
});

test('a task that hangs gives its slot to another owner after its time, and keeps it while nobody waits', async () => {
  const slots = slotsOf({ slots: 2, sliceMs: 20 });
  const { started, task, end } = createTasks();
  const hanging = ['a', 'b'].map((owner) =>
    slots.run(owner, never, task(owner)).catch((error: Error) => error),
  );
  const next = slots.run('c', never, task('c'));
  expect(await hanging[0]).toMatchObject({
    name: 'TimeoutError',
    message: expect.stringContaining('others wait'),
  });
  await expect.poll(() => started).toEqual(['a', 'b', 'c']);
  await end('b');
  expect(await hanging[1]).toBe('b');
  await end('c');
  expect(await next).toBe('c');
});
