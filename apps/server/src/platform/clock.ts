/**
 * The current time of this process, for expiries that are checked here (signed links, limits). Leases and
 * ordering use the clock of the database: clocks of two machines differ.
 */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();
