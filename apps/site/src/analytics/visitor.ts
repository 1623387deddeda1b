import { createHmac } from 'node:crypto';
import { fieldsOf } from '../hosting/protocol.ts';

/** Makes a visitor of a request: the same request on the same day makes the same one, and nobody can go back. */
export interface VisitorHash {
  /** Replaces the keys by those of the platform. They are in memory only. */
  setKeys(keys: unknown): void;
  /** 64 bits as hexadecimal digits; null while the key of the day is not known. */
  of(request: { address: string; userAgent: string; host: string }, at: Date): string | null;
}

export function createVisitorHash(): VisitorHash {
  let byDay = new Map<string, Buffer>();
  return {
    setKeys(keys) {
      byDay = new Map(
        (Array.isArray(keys) ? keys : []).flatMap((entry: unknown): [string, Buffer][] => {
          const { day, key } = fieldsOf(entry) ?? {};
          if (typeof day !== 'string' || typeof key !== 'string' || key.length < 43) return [];
          return [[day, Buffer.from(key, 'base64url')]];
        }),
      );
    },
    of({ address, userAgent, host }, at) {
      const key = byDay.get(at.toISOString().slice(0, 10));
      if (key === undefined) return null;
      const text = JSON.stringify([address, userAgent, host]);
      return createHmac('sha256', key).update(text).digest('hex').slice(0, 16);
    },
  };
}
