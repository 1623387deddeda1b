import type { TurnRow } from './store.ts';

/** The reader or client that asks, and where. */
export interface Asker {
  caller: TurnRow['caller'];
  groups: readonly string[];
  isSignedIn: boolean;
  /** What the limit of the reader is counted for: a network address, or a name that a client gave; null: only the site. */
  identity: string | null;
  /** The reader is asked for a proof of work when the site is under load. */
  isAnonymous: boolean;
  /** What links of the answer begin with: empty on the site itself, else its origin. */
  origin: string;
  /** Release that the reader gets; null: that of the site. */
  bundle: string | null;
}
