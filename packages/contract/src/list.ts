import { z } from 'zod';

/** Query parameters of every list operation. */
export const listQuery = {
  cursor: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .describe('Position at which to continue: the `nextCursor` of the previous response. Opaque.'),
  limit: z.coerce.number().int().min(1).max(100).default(20).describe('Maximum number of items, 1 to 100.'),
};

/** A response with a list: the items, and the position of the next page. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    data: z.array(item),
    nextCursor: z
      .string()
      .nullable()
      .describe('Pass it as `cursor` for the next items; null after the last.'),
  });
}
