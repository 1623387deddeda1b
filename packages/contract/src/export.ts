import { z } from 'zod';
import { domain, domainInput } from './domain.ts';
import { idParam, idSchema } from './id.ts';
import { listOf, listQuery } from './list.ts';
import { pagePathInput } from './page-path.ts';
import { timestamp } from './timestamp.ts';
import { versionLabel } from './version-label.ts';

const exampleJobId = 'se_3f9a2c1b8e7d4a063f9a2c1b8e7d4a06';

/** A SHA-256 digest in lower-case hexadecimal. */
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** States of an export. `completed` and `failed` are final. */
export const exportStatus = z
  .enum(['queued', 'running', 'completed', 'failed'])
  .describe('State of the export. `completed` and `failed` are final.');
export type ExportStatus = z.output<typeof exportStatus>;

/** Body of `POST /v1/static-export/jobs`. */
export const startExportBody = z
  .strictObject({
    domain: domainInput,
    version: versionLabel.optional(),
    paths: z
      .array(pagePathInput)
      .min(1)
      .max(10_000)
      .optional()
      .describe(
        'Pages to export. Default: every published page. A path that is not a page of the current source is rejected, or fails the export if the source cannot be read at the start.',
      ),
    source: z
      .strictObject({
        ref: z
          .string()
          .min(1)
          .max(255)
          .regex(/^(?!-)(?!.*\.\.)[^\s\p{Cc}~^:?*[\\]+$/u, 'must be a branch, a tag or a commit')
          .optional()
          .describe('Branch, tag or commit. Default: the published branch.'),
      })
      .optional()
      .describe('Where to read the docs, if not from the published branch.'),
    options: z
      .strictObject({
        includeUnlisted: z
          .boolean()
          .optional()
          .describe('Whether pages that are not in the navigation are exported. Default: true.'),
        groups: z
          .array(z.string().min(1).max(128))
          .max(100)
          .optional()
          .describe('Groups whose restricted pages are included. Default: none.'),
      })
      .optional(),
  })
  .meta({
    id: 'StartExportRequest',
    examples: [
      { domain: 'docs.example.com' },
      { domain: 'docs.example.com', version: '2026-06-01', paths: ['index', 'guides/getting-started'] },
    ],
  });
export type StartExportBody = z.input<typeof startExportBody>;

/** What a completed export produced: a tree of files, named by the digest of its manifest. */
export const exportArtifact = z.object({
  sha256: sha256.describe('SHA-256 of the manifest, hexadecimal.'),
  files: z.int().min(0).describe('Number of files.'),
  bytes: z.int().min(0).describe('Bytes of all files.'),
  state: z
    .enum(['stored', 'restoring', 'lost'])
    .default('stored')
    .describe(
      'Whether the files are stored. `restoring`: they were lost and are rendered again. `lost`: they were lost and could not be rendered again; start a new export.',
    ),
});

/** What an export does. Each is reported when it starts; a short one may be over before it is seen. */
export const exportPhase = z
  .enum(['queued', 'fetching', 'rendering', 'writing', 'storing', 'packing'])
  .describe(
    'What the export does: waits for a worker, fetches the source, renders pages, writes the files that come from all pages (search index, preview images, assets), stores the files, packs the bundle.',
  );
export type ExportPhase = z.output<typeof exportPhase>;

/** What a commit says of itself. All texts come from the repository: show them as text, never as markup. */
export const commitInfo = z.object({
  subject: z.string().describe('First paragraph of the message on one line, at most 200 characters.'),
  author: z.string().describe('Name of the author, at most 100 characters; no email address.'),
  authoredAt: timestamp.nullable(),
  ref: z.string().nullable().describe('Branch or tag that was read; null when a commit was requested.'),
  url: z.url().nullable().describe('Page of the commit at the forge; null where the forge is not known.'),
});
export type CommitInfo = z.output<typeof commitInfo>;

/**
 * An export. `progress` and `pageCount` are always present; `progress` never decreases. Fields with a default
 * are missing if the server is older than the client.
 */
export const exportJob = z
  .object({
    jobId: idSchema('export', 'Id of the export.'),
    status: exportStatus,
    progress: z.number().min(0).max(100).describe('Percent done. Never falls; 100 only when completed.'),
    phase: exportPhase
      .nullable()
      .default(null)
      .describe(`${exportPhase.description} Null when the export is finished.`),
    phaseStartedAt: timestamp
      .nullable()
      .default(null)
      .describe('When the phase started. Null when the export is finished.'),
    pageCount: z.int().min(0).describe('Pages rendered so far.'),
    totalPages: z.int().min(0).nullable().describe('Pages of the export; null until it is known.'),
    createdAt: timestamp,
    updatedAt: timestamp,
    startedAt: timestamp.nullable(),
    completedAt: timestamp.nullable().describe('When the export completed or failed.'),
    error: z.string().optional().describe('Why the export failed. Present only when `status` is `failed`.'),
    errorCode: z
      .string()
      .optional()
      .describe('Stable name of the reason. Present only when `status` is `failed`.'),
    domain,
    version: z.string().nullable().describe('Label of the export; null until it is known.'),
    commit: z
      .string()
      .nullable()
      .describe('Commit exported; null until it is known and for sources without Git.'),
    commitInfo: commitInfo
      .nullable()
      .default(null)
      .describe('Message, author and place of the commit; null like `commit`, and for older exports.'),
    warnings: z.int().min(0).describe('Number of warnings.'),
    projectId: z.string().nullable().describe('Project exported; null when it was deleted.'),
    projectName: z
      .string()
      .nullable()
      .default(null)
      .describe('Name of the project; null when it was deleted.'),
    trigger: z
      .enum(['call', 'webhook', 'schedule'])
      .describe('What started the export: an API request, a push or a schedule.'),
    createdBy: z
      .string()
      .describe(
        'Who started the export: the email address of a member, the name of a key, the forge or the schedule.',
      ),
    artifact: exportArtifact.nullable().describe('The result; null until completed.'),
  })
  .meta({
    id: 'ExportJob',
    examples: [
      {
        jobId: exampleJobId,
        status: 'running',
        progress: 42,
        phase: 'rendering',
        phaseStartedAt: '2026-06-01T12:00:01.020Z',
        pageCount: 128,
        totalPages: 305,
        createdAt: '2026-06-01T12:00:00.000Z',
        updatedAt: '2026-06-01T12:00:02.150Z',
        startedAt: '2026-06-01T12:00:00.120Z',
        completedAt: null,
        domain: 'docs.example.com',
        version: '2026-06-01',
        commit: '9b1c7f0e5d3a2b4c6d8e9f0a1b2c3d4e5f607182',
        commitInfo: {
          subject: 'Describe the new limits',
          author: 'Ada Lovelace',
          authoredAt: '2026-06-01T11:58:12.000Z',
          ref: 'main',
          url: 'https://github.com/acme/docs/commit/9b1c7f0e5d3a2b4c6d8e9f0a1b2c3d4e5f607182',
        },
        warnings: 3,
        projectId: 'prj_0a1b2c3d4e5f60718293a4b5c6d7e8f9',
        projectName: 'Acme docs',
        trigger: 'call',
        createdBy: 'release pipeline',
        artifact: null,
      },
    ],
  });
export type ExportJob = z.output<typeof exportJob>;

/** Query of `GET /v1/static-export/jobs/{jobId}`. */
export const getExportQuery = z.strictObject({
  wait: z.coerce
    .number()
    .int()
    .min(0)
    .max(60)
    .default(0)
    .describe('Long poll: seconds to wait for a change before the response, 0 to 60.'),
});

/** Query of `GET /v1/static-export/jobs/{jobId}/changes`. */
export const getExportChangesQuery = z.strictObject({
  since: idParam(
    'Id of the export to compare with. Default: the completed one of the domain before it.',
  ).optional(),
});

/** What an export has of pages that another had not, and the other way round. */
export const exportChanges = z
  .object({
    jobId: idSchema('export', 'The export.'),
    since: idSchema('export', 'The export compared with.')
      .nullable()
      .describe('Null: no earlier export exists.'),
    pages: z.object({
      added: z.array(z.string()).describe('Paths of pages, without extension.'),
      removed: z.array(z.string()),
      changed: z.array(z.string()).describe('Pages whose file differs: those of the next three lists.'),
      edited: z.array(z.string()).default([]).describe('Changed pages whose text (Markdown copy) differs.'),
      layout: z
        .array(z.string())
        .default([])
        .describe('Changed pages with the same text: only navigation, layout or asset links differ.'),
      undetermined: z
        .array(z.string())
        .default([])
        .describe('Changed pages without a Markdown copy, whose text and layout cannot be distinguished.'),
      renamed: z
        .array(z.object({ from: z.string(), to: z.string() }))
        .default([])
        .describe(
          'Pairs of a removed and an added page with the same text. They are in both of those lists.',
        ),
      unchanged: z.int().min(0),
    }),
    files: z.object({
      added: z.int().min(0),
      removed: z.int().min(0),
      changed: z.int().min(0),
      unchanged: z.int().min(0),
    }),
  })
  .meta({ id: 'ExportChanges' });
export type ExportChanges = z.output<typeof exportChanges>;

/** Query of `GET /v1/static-export/jobs/{jobId}/changes/page`. */
export const getExportPageChangesQuery = z.strictObject({
  path: pagePathInput.describe('Path of the page, without extension, as the comparison lists it.'),
  since: getExportChangesQuery.shape.since,
});

/** What differs in one page of two exports. All texts come from the docs: show them as text, never as markup. */
export const exportPageChanges = z
  .object({
    jobId: idSchema('export', 'The export.'),
    since: idSchema('export', 'The export compared with.').nullable(),
    path: z.string(),
    change: z.enum(['added', 'removed', 'edited', 'layout', 'undetermined', 'unchanged']),
    additions: z.int().min(0).describe('Lines added to the text.'),
    deletions: z.int().min(0).describe('Lines removed from the text.'),
    diff: z
      .string()
      .nullable()
      .describe('Unified diff of the Markdown copies; null if not available, see `diffMissing`.'),
    diffMissing: z
      .enum(['same_text', 'no_markdown', 'too_large'])
      .nullable()
      .describe(
        'Why there is no diff: the text is the same, neither export has a Markdown copy, or a copy exceeds 512 KB.',
      ),
    links: z
      .object({ added: z.array(z.string()), removed: z.array(z.string()) })
      .nullable()
      .describe(
        'Links and assets that only one of the two HTML files contains, at most 100 each, for the changes `layout` and `undetermined`. Null for other changes, and if a file exceeds 4 MB.',
      ),
  })
  .meta({ id: 'ExportPageChanges' });
export type ExportPageChanges = z.output<typeof exportPageChanges>;

/** A URL at which an export can be previewed. */
export const exportPreview = z
  .object({
    url: z.url().describe('URL of the preview, whose pages have a separate origin.'),
    expiresAt: timestamp,
  })
  .meta({ id: 'ExportPreview' });
export type ExportPreview = z.output<typeof exportPreview>;

/** Query of `GET /v1/static-export/jobs`. */
export const listExportsQuery = z.strictObject({
  domain: domainInput.optional(),
  projectId: idParam('Exports of this project.').optional(),
  status: exportStatus.optional(),
  ...listQuery,
});
export const exportList = listOf(exportJob).meta({ id: 'ExportList' });
export type ExportList = z.output<typeof exportList>;

/** Body of `POST /v1/static-export/jobs/{jobId}/bundle`; may be left out. */
export const createBundleBody = z
  .strictObject({
    expiresIn: z
      .int()
      .min(60)
      .max(604_800)
      .optional()
      .describe('Validity of the link in seconds. Default: 3600. `expiresAt` contains the actual expiry.'),
  })
  .meta({ id: 'CreateBundleRequest', examples: [{}, { expiresIn: 86_400 }] });
export type CreateBundleBody = z.input<typeof createBundleBody>;

/** Query of `GET /v1/static-export/bundle`. */
export const getLatestBundleQuery = z.strictObject({
  domain: domainInput,
  version: versionLabel.optional().describe('Label of the export. Default: the newest.'),
  expiresIn: z.coerce
    .number()
    .int()
    .min(60)
    .max(604_800)
    .default(3600)
    .describe('Validity of the link in seconds. `expiresAt` contains the actual expiry.'),
});
export type LatestBundleQuery = z.input<typeof getLatestBundleQuery>;

/** A link to the one archive of an export. Only the link expires. */
export const exportBundle = z
  .object({
    jobId: idSchema('export', 'Id of the export.'),
    bundleUrl: z.url().describe('Link to the archive. Valid for GET and HEAD until `expiresAt`.'),
    sizeBytes: z.int().min(0).describe('Bytes of the archive.'),
    expiresAt: timestamp,
    sha256: sha256.describe('SHA-256 of the archive, hexadecimal.'),
    version: z.string().describe('Label of the export.'),
    indexUrl: z
      .url()
      .nullable()
      .default(null)
      .describe(
        'Link to the index of the archive, valid like `bundleUrl`: JSON with the size and SHA-256 of each chunk in order. A client that has an earlier archive requests only the other chunks from `bundleUrl`, with `Range`.',
      ),
  })
  .meta({
    id: 'ExportBundle',
    examples: [
      {
        jobId: exampleJobId,
        bundleUrl: 'https://offprint.example.com/blobs/bundles/0f3a.tar.gz?expires=1780322400&signature=c2ln',
        sizeBytes: 18_432_000,
        expiresAt: '2026-06-01T14:00:00.000Z',
        sha256: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
        version: '2026-06-01',
        indexUrl:
          'https://offprint.example.com/blobs/artifacts/0f3a/index.json?expires=1780322400&signature=c2ln',
      },
    ],
  });
export type ExportBundle = z.output<typeof exportBundle>;

/** A defect of the source that did not stop the export. */
export const exportWarning = z
  .object({
    file: z.string().describe('Path below the docs folder.'),
    line: z.int().min(1).nullable().describe('Line, from 1; null if the defect has none.'),
    code: z.string().describe('Stable kebab-case code of the defect.'),
    message: z.string().describe('One sentence that states the defect and how to fix it.'),
    sourceUrl: z
      .url()
      .nullable()
      .describe('URL of the line at the exported commit on the forge; null if none.'),
  })
  .meta({
    id: 'ExportWarning',
    examples: [
      {
        file: 'guides/start.mdx',
        line: 12,
        code: 'link-target-missing',
        message: 'No page at /guides/old.',
        sourceUrl: 'https://github.com/acme/docs/blob/9b1c7f0e/guides/start.mdx?plain=1#L12',
      },
    ],
  });
export type ExportWarning = z.output<typeof exportWarning>;
export const exportWarnings = z.array(exportWarning).meta({ id: 'ExportWarnings' });

/** Server-sent events of an export: `progress` on every change, one `done` at the end; data is the job, `id` its state. */
export const exportEvent = z
  .object({ event: z.enum(['progress', 'done']), data: exportJob })
  .meta({ id: 'ExportEvent' });
export type ExportEvent = z.output<typeof exportEvent>;
