import type { TurnRow } from './store.ts';

/** The reader or client that asks, and where. */
export interface Asker {
  caller: TurnRow['caller'];
  /** Groups of the reader; empty for readers who have not signed in. */
  groups: readonly string[];
  /** What the limit of the reader is counted for: a network address, or a name that a client gave; null: only the site. */
  identity: string | null;
  /** The reader is asked for a proof of work when the site is under load. */
  isAnonymous: boolean;
  /** What links of the answer begin with: empty on the site itself, else its origin. */
  origin: string;
  /** Digest of the release that the reader gets; null: that of readers in these groups. */
  bundle: string | null;
}
