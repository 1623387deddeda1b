import { z } from 'zod';
import { exportChanges } from './export.ts';
import { idSchema } from './id.ts';
import { timestamp } from './timestamp.ts';

/** What a check of a change report does with what it finds. */
export const checkLevel = z.enum(['fail', 'warn', 'off']);
export type CheckLevel = z.output<typeof checkLevel>;

export const reportCheckName = z.enum(['links', 'anchors', 'files', 'queries', 'removed']);
export type ReportCheckName = z.output<typeof reportCheckName>;

const place = z
  .object({
    file: z.string().describe('Path below the docs folder.'),
    line: z.int().min(1).nullable().describe('From 1; null if no line is known.'),
  })
  .nullable();

/** A URL or an anchor that was served and no longer works. All texts come from the docs. */
export const brokenLink = z
  .object({
    url: z.string().describe('Path on the host, decoded; of a pattern as the redirect is written.'),
    anchor: z.string().nullable().describe('Fragment without `#`; null if the URL itself is broken.'),
    kind: z
      .enum(['page', 'copy', 'file', 'redirect', 'pattern'])
      .describe(
        'What served it: a page, the Markdown copy of a page, another file, a redirect, or a redirect pattern.',
      ),
    cause: z
      .enum([
        'removed',
        'moved',
        'redirect-removed',
        'redirect-target',
        'base-path',
        'anchor-removed',
        'anchor-changed',
      ])
      .describe(
        'The URL has nothing (`removed`), its file makes a page at another URL (`moved`), its redirect is missing or leads to nothing, the site is below another path, or the page does not have the anchor (`anchor-changed`: it has another one at that place).',
      ),
    place: place.describe('What broke it in the new source; null if nothing of it is left.'),
    before: place.describe('Where it was in the source that served it.'),
    now: z
      .string()
      .nullable()
      .describe('URL of the moved page, new anchor, or destination of the redirect; null if none exists.'),
    lastServedAt: timestamp
      .nullable()
      .describe('Null: the export compared with serves it. Else when production served it last.'),
  })
  .meta({ id: 'BrokenLink' });
export type BrokenLinkEntry = z.output<typeof brokenLink>;

/** What changes for readers from one export to another. */
export const changeReport = z
  .object({
    jobId: idSchema('export', 'The export.').nullable(),
    since: idSchema('export', 'The export compared with.')
      .nullable()
      .describe('Null: no earlier export exists.'),
    failed: z.boolean().describe('Whether a check with the level `fail` has found something.'),
    checks: z
      .array(z.object({ check: reportCheckName, level: checkLevel, found: z.int().min(0) }))
      .describe(
        'Levels are set in `.offprint/checks.yaml` of the docs. Links that were broken before are listed and not counted.',
      ),
    pages: exportChanges.shape.pages,
    links: z.object({
      hasAnchors: z
        .boolean()
        .describe('Whether anchors could be compared: exports of earlier versions have no list of them.'),
      total: z.int().min(0),
      broken: z.array(brokenLink).describe('The first 1000.'),
    }),
    queries: z
      .array(
        z.object({
          query: z.string(),
          expect: z.string().describe('Path of the page that is expected as the first result.'),
          before: z
            .int()
            .min(1)
            .nullable()
            .describe('Its place in the earlier export; null if it is not found.'),
          after: z.int().min(1).nullable(),
        }),
      )
      .describe('Test queries of `.offprint/queries.yaml`.'),
  })
  .meta({ id: 'ChangeReport' });
export type ChangeReport = z.output<typeof changeReport>;
