import { z } from 'zod';

const place = z.record(z.string().max(200), z.unknown());

/** What a login reports of a reader, in the format of the reference product; unknown fields are ignored. */
export const userData = z.object({
  host: z.string().max(253).optional(),
  /** Seconds since 1970. */
  expiresAt: z.number().positive().max(1e11).optional(),
  groups: z.array(z.string().max(200)).max(200).optional(),
  content: z.record(z.string().max(200), z.unknown()).optional(),
  apiPlaygroundInputs: z
    .object({
      server: place.optional(),
      header: place.optional(),
      query: place.optional(),
      cookie: place.optional(),
      path: place.optional(),
    })
    .optional(),
});
export type UserData = z.output<typeof userData>;

/** Groups of a claim: each text of a list, or one text, which a delimiter may divide. */
export function groupsOf(claim: unknown, delimiter: string | null): string[] {
  if (Array.isArray(claim)) return tidy(claim.filter((group) => typeof group === 'string'));
  if (typeof claim !== 'string') return [];
  return tidy(delimiter === null ? [claim] : claim.split(delimiter));
}

function tidy(groups: readonly string[]): string[] {
  return [...new Set(groups.map((group) => group.trim()).filter((group) => group !== ''))];
}
