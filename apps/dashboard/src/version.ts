declare const OFFPRINT_VERSION: string;

/** Version of Offprint, set by the build. */
export const VERSION = OFFPRINT_VERSION;
