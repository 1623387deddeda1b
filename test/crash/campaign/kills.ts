/** Kills processes of a platform at random moments, by their numbers. */
import type { Ground, Supervised } from './ground.ts';
import { readPostmaster } from './ground.ts';
import type { History, Lease, Victim } from './history.ts';
import { findChildren, findProcesses } from './processes.ts';

/** How often each is chosen; `everything` kills all processes of the platform at once. */
const WEIGHTS: Readonly<Record<Victim | 'everything', number>> = {
  worker: 30,
  child: 34,
  api: 14,
  postmaster: 12,
  guard: 9,
  everything: 1,
};

/** Between two kills of the database or its guard: workers judge others only after it was there for four seconds. */
const DATABASE_PAUSE_MS = 9_000;
/** Share of kills that happen together with another one. */
const BURST = 0.12;
/** Share of kills of a worker that may hit one that has no job or is starting. */
const ANY_WORKER = 0.15;

export interface Killer {
  /** Kills one victim, sometimes several at once; the number of processes killed. */
  kill(): Promise<number>;
  /** Leases of each worker by its number, as of the last look. */
  look(): Promise<void>;
}

export function createKiller(ground: Ground, history: History, random: () => number): Killer {
  let held = new Map<number, Lease[]>();
  let lastDatabase = 0;
  let burst = 0;

  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)];
  const choose = (): Victim | 'everything' => {
    const entries = Object.entries(WEIGHTS);
    let at = random() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [victim, weight] of entries) {
      at -= weight;
      if (at < 0 && isVictim(victim)) return victim;
    }
    return 'worker';
  };
  const heldBy = ({ worker }: Supervised): Lease[] => (worker === null ? [] : (held.get(worker) ?? []));

  /** Sends the signal and records it, with the time before: nothing that follows can be earlier. */
  const strike = (victim: Victim, pid: number, leases: Lease[], isActive: boolean): number => {
    const entry = { kind: 'kill', victim, pid, isActive, held: leases, burst } as const;
    try {
      process.kill(pid, 0);
    } catch {
      return 0;
    }
    history.add(entry);
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended in this moment, by another kill or by itself.
    }
    return 1;
  };
  const strikeSupervised = (one: Supervised): number => {
    if (one.isKilled) return 0;
    one.isKilled = true;
    const leases = heldBy(one);
    return strike(one.role, one.pid, leases, one.role === 'api' || leases.length > 0);
  };
  const strikeGuard = (): number =>
    findProcesses(ground.root)
      .filter(({ role }) => role === 'guard')
      .reduce((sum, { pid }) => sum + strike('guard', pid, [], true), 0);
  const strikePostmaster = async (): Promise<number> => {
    const pid = await readPostmaster(ground.dataDir);
    // The number in the file of a server that was killed may belong to another process by now.
    const isServer = findProcesses(ground.root).some((one) => one.pid === pid && one.role === 'postgres');
    return pid !== null && isServer ? strike('postmaster', pid, [], true) : 0;
  };
  const strikeChild = (): number => {
    const processes = findProcesses(ground.root);
    const children = ground.running().flatMap(({ pid }) => findChildren(processes, pid));
    const child = pick(children.filter(({ isActive }) => isActive)) ?? pick(children);
    return child === undefined ? 0 : strike('child', child.pid, [], child.isActive);
  };
  const strikeWorker = (): number => {
    const workers = ground.running().filter(({ role, isKilled }) => role === 'worker' && !isKilled);
    const busy = workers.filter((one) => heldBy(one).length > 0);
    const one = random() < ANY_WORKER ? pick(workers) : pick(busy);
    return one === undefined ? 0 : strikeSupervised(one);
  };
  const strikeApi = (): number => {
    const ready = ground
      .running()
      .filter(
        ({ role, isKilled, startedAt }) => role === 'api' && !isKilled && Date.now() - startedAt > 2_000,
      );
    const one = pick(ready);
    return one === undefined ? 0 : strikeSupervised(one);
  };
  const strikeEverything = async (): Promise<number> => {
    const processes = findProcesses(ground.root);
    const children = ground.running().flatMap(({ pid }) => findChildren(processes, pid));
    let killed = ground.running().reduce((sum, one) => sum + strikeSupervised(one), 0);
    killed += strikeGuard() + (await strikePostmaster());
    return children.reduce((sum, { pid, isActive }) => sum + strike('child', pid, [], isActive), killed);
  };
  const strikeOne = async (victim: Victim | 'everything'): Promise<number> => {
    if (victim === 'worker') return strikeWorker();
    if (victim === 'api') return strikeApi();
    if (victim === 'child') return strikeChild();
    if (Date.now() - lastDatabase < DATABASE_PAUSE_MS) return 0;
    lastDatabase = Date.now();
    if (victim === 'guard') return strikeGuard();
    return victim === 'postmaster' ? strikePostmaster() : strikeEverything();
  };

  return {
    async kill() {
      burst += 1;
      const count = random() < BURST ? 2 + Math.floor(random() * 2) : 1;
      let killed = 0;
      for (let number = 0; number < count; number += 1) killed += await strikeOne(choose());
      return killed;
    },
    async look() {
      const rows = await ground.database.db
        .selectFrom('jobs')
        .select(['id', 'attempt', 'worker'])
        .where('worker', 'is not', null)
        .execute()
        .catch(() => null);
      // Without a database, what was held last is held still.
      if (rows === null) return;
      held = new Map(
        [...Map.groupBy(rows, ({ worker }) => worker ?? 0)].map(([worker, leases]) => [
          worker,
          leases.map(({ id, attempt }) => ({ id, attempt })),
        ]),
      );
    },
  };
}

const isVictim = (name: string): name is Victim | 'everything' => Object.hasOwn(WEIGHTS, name);
