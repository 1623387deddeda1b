import { z } from 'zod';

/** Roles of members, each with everything that the one before may do. */
export const roles = ['viewer', 'editor', 'admin'] as const;

/** What a member may do: `viewer` reads, `editor` also runs exports and agent jobs and edits projects, `admin` also manages. */
export const role = z
  .enum(roles)
  .describe(
    '`viewer` reads and downloads; `editor` also runs exports and agent jobs and edits projects; `admin` also manages members, keys, secrets and deletions.',
  );
export type Role = z.output<typeof role>;

/** Whether `held` includes what `needed` may do. */
export function includesRole(held: Role, needed: Role): boolean {
  return roles.indexOf(held) >= roles.indexOf(needed);
}
