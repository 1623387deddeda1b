/** A discrete-event simulation of the queue, the workers and the store. Times in seconds. */

export interface Order {
  id: string;
  organization: string;
  weight: number;
  at: number;
}

export interface Model {
  workers: number;
  /** Exports that one worker runs at the same time. */
  concurrency: number;
  /** Time of an export that runs alone on a worker, without the time in which it stores. */
  seconds: number;
  /** Exports that one worker renders at the same time without slowing each other down; may have a fraction. */
  capacity: number;
  /** Bytes that an export stores, and what the store takes in a second of all exports. */
  storedBytes: number;
  storeBytesPerSecond: number;
  /** One claim; claims of an installation are made one after the other. */
  claimSeconds: number;
  /** Exports of one organization that run at the same time. */
  organizationLimit: number;
  /** Several organizations have projects: then one holds at most one slot less than a worker has. */
  isShared: boolean;
}

export interface Outcome {
  id: string;
  organization: string;
  queuedAt: number;
  claimedAt: number;
  endedAt: number;
}

export interface Result {
  outcomes: Outcome[];
  /** Share of the time in which claims are made. */
  claimShare: number;
  /** Share of the time of all worker slots in which they have an export. */
  slotShare: number;
}

/** What waits, by the rule of `claim_job`. */
export function createQueue(organizationLimit: number) {
  const waiting = new Map<string, Order[]>();
  const running = new Map<string, number>();
  const turns = new Map<string, number>();
  let turn = 0;
  return {
    add(order: Order): void {
      const list = waiting.get(order.organization);
      if (list === undefined) waiting.set(order.organization, [order]);
      else list.push(order);
    },
    /** Fewest running by weight, then longest without a turn (never first), then oldest; without the organizations in `passOver`. */
    claim(passOver: ReadonlySet<string> = new Set()): Order | undefined {
      let best: Order | undefined;
      let bestKey: readonly number[] = [];
      for (const [organization, list] of waiting) {
        const [oldest] = list;
        const jobs = running.get(organization) ?? 0;
        if (oldest === undefined || jobs >= organizationLimit || passOver.has(organization)) continue;
        const key = [jobs / oldest.weight, turns.get(organization) ?? -1, oldest.at];
        if (best === undefined || isLess(key, bestKey)) [best, bestKey] = [oldest, key];
      }
      if (best === undefined) return undefined;
      const { organization } = best;
      const list = waiting.get(organization) ?? [];
      list.shift();
      if (list.length === 0) waiting.delete(organization);
      running.set(organization, (running.get(organization) ?? 0) + 1);
      turns.set(organization, turn++);
      return best;
    },
    end(organization: string): void {
      running.set(organization, (running.get(organization) ?? 1) - 1);
    },
  };
}

function isLess(one: readonly number[], other: readonly number[]): boolean {
  for (const [at, value] of one.entries()) {
    const than = other[at] ?? 0;
    if (value !== than) return value < than;
  }
  return false;
}

interface Running {
  order: Order;
  worker: number;
  claimedAt: number;
  /** Seconds of rendering alone, then bytes to store. */
  left: number;
  isStoring: boolean;
}

/** Runs the orders, which must be sorted by time, until all have ended. */
export function simulate(orders: readonly Order[], model: Model): Result {
  const queue = createQueue(model.organizationLimit);
  const slots = Array.from({ length: model.workers }, () => 0);
  const active = new Set<Running>();
  const outcomes: Outcome[] = [];
  let time = 0;
  let next = 0;
  let claimFreeAt = 0;
  let claimSeconds = 0;
  let slotSeconds = 0;

  /** Claims until the next claim has to wait, first for the worker with the fewest exports. */
  function claimMore(): void {
    while (claimFreeAt <= time) {
      const free = [...slots.keys()]
        .filter((worker) => (slots[worker] ?? 0) < model.concurrency)
        .sort((one, other) => (slots[one] ?? 0) - (slots[other] ?? 0));
      if (!free.some(claimFor)) return;
    }
  }

  function claimFor(worker: number): boolean {
    const order = queue.claim(fullOn(worker));
    if (order === undefined) return false;
    claimFreeAt = time + model.claimSeconds;
    claimSeconds += model.claimSeconds;
    slots[worker] = (slots[worker] ?? 0) + 1;
    active.add({ order, worker, claimedAt: time, left: model.seconds, isStoring: false });
    return true;
  }

  /** Organizations that leave the last slot of the worker to others. */
  function fullOn(worker: number): Set<string> {
    if (!model.isShared || model.concurrency === 1) return new Set();
    const counts = new Map<string, number>();
    for (const one of active) {
      if (one.worker !== worker) continue;
      const { organization } = one.order;
      counts.set(organization, (counts.get(organization) ?? 0) + 1);
    }
    return new Set([...counts].flatMap(([id, held]) => (held >= model.concurrency - 1 ? [id] : [])));
  }

  function advance(one: Running, done: number): void {
    one.left -= done;
    if (one.left > 1e-9 * (one.isStoring ? model.storedBytes : 1)) return;
    if (!one.isStoring && model.storedBytes > 0) {
      one.isStoring = true;
      one.left = model.storedBytes;
      return;
    }
    active.delete(one);
    slots[one.worker] = (slots[one.worker] ?? 1) - 1;
    queue.end(one.order.organization);
    const { id, organization, at: queuedAt } = one.order;
    outcomes.push({ id, organization, queuedAt, claimedAt: one.claimedAt, endedAt: time });
  }

  for (;;) {
    claimMore();
    const speed = ratesOf(active, model);
    const arrival = orders[next]?.at ?? Number.POSITIVE_INFINITY;
    const claim = claimFreeAt > time ? claimFreeAt : Number.POSITIVE_INFINITY;
    const ends = [...speed].map(([one, rate]) => one.left / rate);
    const step = Math.min(arrival - time, claim - time, ...ends);
    if (step === Number.POSITIVE_INFINITY) break;
    time += step;
    slotSeconds += step * active.size;
    for (const [one, rate] of speed) advance(one, step * rate);
    for (let order = orders[next]; order !== undefined && order.at <= time; order = orders[next]) {
      queue.add(order);
      next += 1;
    }
  }
  return {
    outcomes,
    claimShare: claimSeconds / time,
    slotShare: slotSeconds / (time * model.workers * model.concurrency),
  };
}

/** What each running export does in a second. */
function ratesOf(active: ReadonlySet<Running>, model: Model): Map<Running, number> {
  const rendering = new Map<number, number>();
  let storing = 0;
  for (const { worker, isStoring } of active) {
    if (isStoring) storing += 1;
    else rendering.set(worker, (rendering.get(worker) ?? 0) + 1);
  }
  return new Map(
    [...active].map((one) => [
      one,
      one.isStoring
        ? model.storeBytesPerSecond / storing
        : Math.min(1, model.capacity / (rendering.get(one.worker) ?? 1)),
    ]),
  );
}

/** The value below which this share of the values is. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
}

/** Arrivals of an hour, at random times (Poisson), of organizations of which few start most exports (Zipf). */
export function ordersOfHour(count: number, organizations: number, random: () => number): Order[] {
  const shares = Array.from({ length: organizations }, (_, at) => 1 / (at + 1));
  const total = shares.reduce((sum, share) => sum + share, 0);
  const orders: Order[] = [];
  let at = 0;
  for (let number = 0; number < count; number += 1) {
    at += (-Math.log(1 - random()) * 3_600) / count;
    let left = random() * total;
    const index = shares.findIndex((share) => {
      left -= share;
      return left <= 0;
    });
    orders.push({ id: `se_${number}`, organization: `org_${Math.max(0, index)}`, weight: 1, at });
  }
  return orders;
}
