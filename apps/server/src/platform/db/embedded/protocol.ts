/** What the guard says to the process that launched it: it serves, another guard does, or why nobody can. */
export type LaunchReport =
  | { state: 'serving' }
  | { state: 'other-guard' }
  | { state: 'failed'; reason: string };

/** First line on a connection to the guard. */
export interface Greeting {
  /** Address of the platform's database. */
  url: string;
}

/** A client that goes in order writes this word; the guard closes the connection when the client may go. */
export const LEAVE = 'leave';
