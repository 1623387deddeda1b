/** Values by key; the least recently used ones are removed first. */
export interface WeightedCache<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
  keys(): Iterable<string>;
  /** The result of `load`, kept if the cache admits the key. Concurrent callers share one call. */
  load(key: string, load: () => Promise<Value>): Promise<Value>;
}

/** Bytes of the entry itself. */
const entryBytes = 300;

export interface WeightedCacheOptions<Value> {
  maxBytes: number;
  /** Bytes of a value. One that exceeds the limit is kept alone. */
  weigh(value: Value): number;
  /** Whether `load` keeps the value of a key. Default: always. */
  admits?(key: string): boolean;
  onRemoved?(value: Value): void;
}

export function createWeightedCache<Value>(options: WeightedCacheOptions<Value>): WeightedCache<Value> {
  const { maxBytes, weigh, admits, onRemoved } = options;
  // a Map keeps the insertion order: the most recently used entry is the last one
  const values = new Map<string, { value: Value; bytes: number }>();
  const loading = new Map<string, Promise<Value>>();
  let held = 0;
  const remove = (key: string): void => {
    const entry = values.get(key);
    if (entry === undefined) return;
    values.delete(key);
    held -= entry.bytes;
    onRemoved?.(entry.value);
  };
  const set = (key: string, value: Value): void => {
    remove(key);
    const bytes = weigh(value) + entryBytes + key.length;
    values.set(key, { value, bytes });
    held += bytes;
    for (const oldest of values.keys()) {
      if (held <= maxBytes || oldest === key) break;
      remove(oldest);
    }
  };
  return {
    get(key) {
      const entry = values.get(key);
      if (entry === undefined) return undefined;
      values.delete(key);
      values.set(key, entry);
      return entry.value;
    },
    set,
    delete: remove,
    keys: () => values.keys(),
    load(key, load) {
      const known = loading.get(key);
      if (known !== undefined) return known;
      const value = load()
        .then((loaded) => {
          if (admits === undefined || admits(key)) set(key, loaded);
          return loaded;
        })
        .finally(() => loading.delete(key));
      loading.set(key, value);
      return value;
    },
  };
}
