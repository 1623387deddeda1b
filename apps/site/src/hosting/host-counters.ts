/** Requests by host, for the metrics. */
export interface HostCounters {
  count(host: string | null, status: number, bytes: number): void;
  /** Hosts with counters of their own, and `other` for the rest. */
  snapshot(): HostCount[];
}

export interface HostCount {
  host: string;
  requests: number;
  /** Responses with status 5xx. */
  failures: number;
  bytes: number;
}

/** Hosts with own counters: the first ones that get a request after the start of the process. */
const maxHosts = 500;
const other = 'other';

/** Only hosts of the list of sites are counted by name, so their number does not depend on what clients request. */
export function createHostCounters(max = maxHosts): HostCounters {
  const counts = new Map<string, HostCount>();
  const entryOf = (host: string): HostCount => {
    const name = counts.has(host) || counts.size < max ? host : other;
    const known = counts.get(name);
    if (known !== undefined) return known;
    const fresh = { host: name, requests: 0, failures: 0, bytes: 0 };
    counts.set(name, fresh);
    return fresh;
  };
  return {
    count(host, status, bytes) {
      const entry = entryOf(host ?? other);
      entry.requests += 1;
      entry.bytes += bytes;
      if (status >= 500) entry.failures += 1;
    },
    snapshot: () => [...counts.values()],
  };
}
