import { z } from 'zod';

/** A moment: RFC 3339, UTC, milliseconds, as `Date.prototype.toISOString` writes it. */
export const timestamp = z.iso.datetime({ precision: 3 });
