import { z } from 'zod';
import { domain } from './domain.ts';
import { commitInfo } from './export.ts';
import { idSchema } from './id.ts';
import { listOf, listQuery } from './list.ts';
import { timestamp } from './timestamp.ts';

/** Body of `POST /v1/project/preview/{projectId}`. */
export const triggerPreviewBody = z
  .strictObject({
    branch: z
      .string()
      .min(1)
      .max(255)
      .regex(/^(?!-)(?!.*\.\.)[^\s\p{Cc}~^:?*[\\]+$/u, 'must be the name of a branch')
      .describe('Branch to preview. A branch has one preview: the request updates it if it exists.'),
  })
  .meta({ id: 'TriggerPreviewRequest', examples: [{ branch: 'new-quickstart' }] });
export type TriggerPreviewBody = z.input<typeof triggerPreviewBody>;

const statusId = idSchema('deployment', 'Id of the deployment, for `GET /v1/project/update-status`.');
const EXAMPLE_ID = 'dep_0f1e2d3c4b5a69788796a5b4c3d2e1f0';

export const triggeredUpdate = z
  .object({ statusId })
  .meta({ id: 'TriggeredUpdate', examples: [{ statusId: EXAMPLE_ID }] });
export type TriggeredUpdate = z.output<typeof triggeredUpdate>;

export const triggeredPreview = z
  .object({ statusId, previewUrl: z.url().describe('URL of the preview. The same for each update of it.') })
  .meta({
    id: 'TriggeredPreview',
    examples: [
      {
        statusId: EXAMPLE_ID,
        previewUrl: 'https://new-quickstart-k3v9x2m7qd4t.previews.example.net',
      },
    ],
  });
export type TriggeredPreview = z.output<typeof triggeredPreview>;

export const deploymentKind = z
  .enum(['production', 'preview'])
  .describe('`production`: for the domains of the project; `preview`: for a branch, on a host of its own.');
export type DeploymentKind = z.output<typeof deploymentKind>;

export const deploymentStatus = z
  .enum(['waiting', 'queued', 'in_progress', 'success', 'failure'])
  .describe(
    '`waiting`: of a fork, nothing is built until a member approves it; `queued` and `in_progress`: its export has not ended; `success`: it can be served; `failure`: `error` states the reason, and what was live stays live.',
  );
export type DeploymentStatus = z.output<typeof deploymentStatus>;

/** What requested a deployment; names of the reference product where it has them. */
export const deploymentSource = z
  .enum(['api', 'dashboard', 'github', 'gitlab', 'webhook', 'schedule'])
  .describe('What requested it: a key, a member, a push at a forge (`webhook`: another one), or a schedule.');
export type DeploymentSource = z.output<typeof deploymentSource>;

/** One completed or requested artifact that a site serves. Its files never change. */
export const deployment = z
  .object({
    id: idSchema('deployment', 'Id of the deployment.'),
    projectId: idSchema('project', 'Id of the project.'),
    kind: deploymentKind,
    status: deploymentStatus,
    progress: z.number().min(0).max(100).describe('Progress of its export in percent.'),
    branch: z
      .string()
      .nullable()
      .describe('Branch that was requested; null: the published branch of the project.'),
    isLive: z.boolean().describe('Whether its site serves it now.'),
    canPromote: z.boolean().describe('Whether it can be made live: a stored production deployment.'),
    url: z.url().nullable().describe('URL at which its site is served; null if it has no host.'),
    commit: z.string().nullable(),
    commitInfo: commitInfo.nullable(),
    jobId: idSchema('export', 'The export; null if it was deleted.').nullable(),
    sha256: z.string().nullable().describe('Digest of its bundle; null until it has succeeded.'),
    sizeBytes: z.int().min(0).nullable(),
    pageCount: z.int().min(0).nullable(),
    fork: z
      .string()
      .nullable()
      .describe(
        'Repository of the fork whose pull request it previews; null: it is of the repository of the project.',
      ),
    pushedCommit: z
      .string()
      .nullable()
      .describe(
        'Commit that the push or the pull request named; of a fork, exactly this commit is exported.',
      ),
    approvedBy: z.string().nullable().describe('Who approved the deployment of a fork; null: nobody.'),
    feedback: z
      .object({
        state: z
          .enum(['pending', 'sent', 'failed'])
          .describe('`pending`: not sent yet, or repeated after `error`; `failed`: given up.'),
        error: z.string().nullable().describe('Why the last attempt failed.'),
      })
      .nullable()
      .describe(
        'Whether the forge shows the status of the commit and the comment; null: it is not informed, or that was more than 30 days ago.',
      ),
    source: deploymentSource,
    createdBy: z
      .string()
      .describe('Who requested it: email address of the member, name of the key or forge.'),
    createdAt: timestamp,
    endedAt: timestamp.nullable(),
    liveSince: timestamp.nullable().describe('Since when its site serves it; null if it is not live.'),
    liveBy: z.string().nullable().describe('Who made it live; null if it is not live.'),
    expiresAt: timestamp.nullable().describe('When its preview is deleted; null for production.'),
    error: z.string().nullable(),
    errorCode: z.string().nullable().describe('Error code of the export.'),
  })
  .meta({
    id: 'Deployment',
    examples: [
      {
        id: EXAMPLE_ID,
        projectId: 'prj_0a1b2c3d4e5f60718293a4b5c6d7e8f9',
        kind: 'production',
        status: 'success',
        progress: 100,
        branch: null,
        isLive: true,
        canPromote: false,
        url: 'https://docs.example.com',
        commit: '9b1c7f0e5d3a2b4c6d8e9f0a1b2c3d4e5f607182',
        commitInfo: null,
        jobId: 'se_0a1b2c3d4e5f60718293a4b5c6d7e8f9',
        sha256: '5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef',
        sizeBytes: 1843200,
        pageCount: 120,
        fork: null,
        pushedCommit: '9b1c7f0e5d3a2b4c6d8e9f0a1b2c3d4e5f607182',
        approvedBy: null,
        feedback: { state: 'sent', error: null },
        source: 'github',
        createdBy: 'GitHub: ada',
        createdAt: '2026-06-01T12:00:00.000Z',
        endedAt: '2026-06-01T12:00:09.000Z',
        liveSince: '2026-06-01T12:00:09.000Z',
        liveBy: 'GitHub: ada',
        expiresAt: null,
        error: null,
        errorCode: null,
      },
    ],
  });
export type Deployment = z.output<typeof deployment>;

export const listDeploymentsQuery = z.strictObject({
  ...listQuery,
  kind: deploymentKind.optional().describe('Only deployments of this kind.'),
});
export const deploymentList = listOf(deployment).meta({ id: 'DeploymentList' });
export type DeploymentList = z.output<typeof deploymentList>;

const paths = z.array(z.string());

/** Response of `GET /v1/project/update-status/{statusId}`; the names are those of the reference product. */
export const updateStatus = z
  .object({
    _id: statusId,
    projectId: idSchema('project', 'Id of the project.'),
    createdAt: timestamp,
    endedAt: timestamp.nullable(),
    status: deploymentStatus,
    summary: z.string().describe('One sentence about the status.'),
    logs: z.array(z.string()).describe('What happened so far, one sentence each.'),
    subdomain: domain.nullable().describe('Host at which the site is served; null if it has none.'),
    author: z.object({ name: z.string() }).nullable().describe('Author of the commit.'),
    commit: z
      .object({
        sha: z.string(),
        ref: z.string().nullable().describe('Branch that was read.'),
        message: z.string().nullable().describe('First paragraph of the message.'),
        filesChanged: z
          .object({ added: paths, modified: paths, removed: paths })
          .nullable()
          .describe(
            'Pages of the site that differ from what was live before, at most 1,000 of each kind; null until the update has succeeded, and if the export before it was deleted.',
          ),
      })
      .nullable()
      .describe('The commit; null while it is not known, and for sources without commits.'),
    source: deploymentSource,
    kind: deploymentKind,
    isLive: z.boolean().describe('Whether the site serves this update now.'),
    url: z.url().nullable().describe('URL of the site.'),
    error: z.string().nullable().describe('Why the update failed.'),
    errorCode: z.string().nullable(),
  })
  .meta({ id: 'UpdateStatus' });
export type UpdateStatus = z.output<typeof updateStatus>;

/** Body of `POST .../promote`. */
export const promoteDeploymentBody = z
  .strictObject({
    replaces: idSchema('deployment', 'Deployment that is live.')
      .optional()
      .describe('If given, the request fails if another deployment than this one is live.'),
  })
  .meta({ id: 'PromoteDeploymentRequest', examples: [{}] });
export type PromoteDeploymentBody = z.input<typeof promoteDeploymentBody>;

const previewDays = z.int().min(1).max(365).describe('Days after its last update when a preview is deleted.');

/** Body of `PUT /v1/projects/{projectId}/hosting`. */
export const updateHostingBody = z
  .strictObject({
    enabled: z
      .boolean()
      .describe('Pushes and scheduled times that start an export update production instead.'),
    previews: z
      .strictObject({
        enabled: z.boolean().describe('A push to another branch updates the preview of this branch.'),
        days: previewDays.optional().describe('Default: 14.'),
      })
      .optional()
      .describe('Default: off.'),
  })
  .meta({ id: 'UpdateHostingRequest', examples: [{ enabled: true, previews: { enabled: true, days: 14 } }] });
export type UpdateHostingBody = z.input<typeof updateHostingBody>;

/** What some of the readers of a site get instead of the live deployment. */
const deploymentVariant = z.object({
  groups: z
    .array(z.string())
    .nullable()
    .describe('For readers who are in all of these groups; null: for those who have not signed in.'),
  status: z
    .enum(['queued', 'success', 'failure'])
    .describe('`queued`: it is being rendered. `failure`: these readers get the live deployment.'),
  pageCount: z.int().nullable(),
  error: z.string().nullable().describe('Why it could not be rendered.'),
  endedAt: timestamp.nullable(),
});

/** How a project is served, and what is live. */
export const hosting = z
  .object({
    enabled: z.boolean().describe('Pushes and scheduled times that start an export update production.'),
    previews: z.object({
      enabled: z.boolean().describe('A push to another branch updates the preview of this branch.'),
      days: previewDays,
      domain: domain
        .nullable()
        .describe('Domain below which previews have their hosts; null: not available.'),
    }),
    hosts: z
      .array(z.object({ host: domain, redirectTo: domain.nullable() }))
      .describe('Hosts that serve production, or redirect to a host that does.'),
    live: deployment.nullable().describe('The production deployment that is live; null: none yet.'),
    groups: z.array(z.string()).describe('Groups that pages of the live deployment name, sorted.'),
    variants: z
      .array(deploymentVariant)
      .describe('Releases of the same commit for combinations of these groups that readers have had.'),
  })
  .meta({ id: 'Hosting' });
export type Hosting = z.output<typeof hosting>;
