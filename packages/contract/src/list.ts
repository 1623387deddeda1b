import { z } from 'zod';

/** Query parameters of every list call. */
export const listQuery = {
  cursor: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .describe('Where to go on: the `nextCursor` of the answer before. Opaque.'),
  limit: z.coerce.number().int().min(1).max(100).default(20).describe('Most items to return, 1 to 100.'),
};

/** An answer of a list call: the items, and where to go on. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    data: z.array(item),
    nextCursor: z
      .string()
      .nullable()
      .describe('Pass it as `cursor` for the next items; null after the last.'),
  });
}
