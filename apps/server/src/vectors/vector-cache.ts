import type { ComparableVectors } from '@offprint/search';

/** Vectors of sites in memory, of which those used last stay. */
export interface VectorCache {
  /** What `load` returns is kept under its key unless it is null. Those who ask at the same time share one load. */
  get(key: string, load: () => Promise<ComparableVectors | null>): Promise<ComparableVectors | null>;
  /** Memory in use, in bytes. */
  size(): number;
}

export function createVectorCache(maxBytes: number): VectorCache {
  /** The one used last at the end. */
  const kept = new Map<string, ComparableVectors>();
  const loading = new Map<string, Promise<ComparableVectors | null>>();
  const size = (): number => [...kept.values()].reduce((sum, vectors) => sum + bytesOf(vectors), 0);

  const keep = (key: string, vectors: ComparableVectors): void => {
    kept.delete(key);
    kept.set(key, vectors);
    let total = size();
    for (const [oldest, its] of [...kept]) {
      if (total <= maxBytes || oldest === key) break;
      total -= bytesOf(its);
      kept.delete(oldest);
    }
  };
  return {
    size,
    async get(key, load) {
      const known = kept.get(key);
      if (known !== undefined) {
        keep(key, known);
        return known;
      }
      const running = loading.get(key) ?? load();
      loading.set(key, running);
      try {
        const vectors = await running;
        if (vectors !== null) keep(key, vectors);
        return vectors;
      } finally {
        loading.delete(key);
      }
    },
  };
}

const bytesOf = ({ digests, values, shares }: ComparableVectors): number =>
  digests.byteLength + values.byteLength + shares.byteLength;
