import type { Readable } from 'node:stream';
import { type DeploymentSource, triggerPreviewBody, type WebhookAnswer } from '@offprint/contract';
import type { Kysely } from 'kysely';
import { forkBranch } from '../deployments/service.ts';
import type { Database } from '../platform/db/database.ts';
import { plainText } from '../platform/db/database.ts';
import { AppError } from '../platform/http/error.ts';
import { seal, unseal } from '../platform/secret.ts';
import { newWebhookSecret } from '../platform/webhook-signature.ts';
import type { ProjectRow } from '../projects/service.ts';
import { type PullRequestEvent, readPullRequestEvent } from './pull-request-event.ts';
import { type ForgeEvent, isRepository, readForgeEvent } from './push.ts';
import { isSigned, type ReadHeader } from './signature.ts';
import { type Decision, type StartAdapters, seize } from './start.ts';
import { type AutomationRow, findAnyAutomation } from './store.ts';

/** Largest payload in bytes. A push of some thousand commits fits. */
export const MAX_PAYLOAD_BYTES = 1_000_000;

export interface WebhookRequest {
  projectId: string;
  header: ReadHeader;
  bytes: Readable;
  /** Network address of the client. */
  address: string;
}

export interface WebhookAdapters extends StartAdapters {
  db: Kysely<Database>;
  /** Seals the secrets of webhooks. */
  key: Buffer;
}

/** Binds a sealed secret to its project. */
export const contextOf = (projectId: string) => `webhook/${projectId}`;

/**
 * Takes deliveries of forges. A project that does not exist, one without a webhook and a wrong signature get
 * the same response, after the same work.
 */
export function createWebhookReceiver(
  adapters: WebhookAdapters,
): (request: WebhookRequest) => Promise<WebhookAnswer> {
  const { db, key } = adapters;
  const decoy = seal(key, newWebhookSecret(), contextOf('decoy'));

  return async (request) => {
    const delivery = { header: request.header, body: await readBody(request.bytes) };
    const automation = await findAnyAutomation(db, request.projectId);
    const sealed = automation?.webhook_enabled === true ? automation.webhook_secret_sealed : null;
    const secret = unseal(key, sealed ?? decoy, contextOf(sealed === null ? 'decoy' : request.projectId));
    const isTrue = isSigned(delivery, secret, Date.now());
    if (!isTrue || sealed === null || automation === undefined) {
      throw new AppError(
        'signature_invalid',
        'The delivery is not signed with the secret of a webhook of this project. Enter the secret at the forge, and enable the webhook.',
      );
    }
    const event = readForgeEvent(delivery);
    const pull = readPullRequestEvent(delivery, event.event);
    const person = pull === null ? event.pusher : pull.author;
    const [ref, commit] = pull === null ? [event.ref, event.commit] : [pull.headBranch, pull.headCommit];
    const result = await db.transaction().execute((tx) =>
      seize(tx, adapters, {
        automation,
        facts: {
          project_id: automation.project_id,
          kind: 'webhook',
          delivery: plainText(event.delivery),
          event: plainText(event.event),
          ref: ref === null ? null : plainText(ref),
          commit: commit === null ? null : plainText(commit),
        },
        by: plainText(person === null ? event.forge : `${event.forge}: ${person}`),
        source: SOURCES.get(event.forge) ?? 'webhook',
        address: request.address,
        decide: (project) =>
          pull === null
            ? decide(event, automation, project)
            : decidePullRequest({ event, pull, automation, project }),
      }),
    );
    return { outcome: result.outcome, message: result.message, exportId: result.export_id };
  };
}

/** Forges that deployments name; others are webhooks. */
const SOURCES: ReadonlyMap<string, DeploymentSource> = new Map([
  ['GitHub', 'github'],
  ['GitLab', 'gitlab'],
]);

/** What a pull request asks for. Of a fork, nothing is built before a member approves it: anyone can create one. */
function decidePullRequest({
  event,
  pull,
  automation,
  project,
}: {
  event: ForgeEvent;
  pull: PullRequestEvent;
  automation: AutomationRow;
  project: ProjectRow;
}): Decision {
  const { number, action, isMerged, headBranch: branch } = pull;
  if (project.source_kind !== 'git' || project.repository === null)
    return { skip: 'The project no longer has a Git repository as its source.' };
  if (!isRepository(event, project.repository))
    return { skip: 'The pull request is not of the repository of the project.' };
  const ended = `Pull request ${number} was ${isMerged ? 'merged' : 'closed'}.`;
  const skip = `Pull requests have no previews in this project. Turn previews on to build pull request ${number}.`;
  if (pull.isFork) {
    const { headRepository: fork, headCommit: commit } = pull;
    if (fork === null || commit === null) {
      const refuse = `The forge does not name the fork and the commit of pull request ${number}, so it gets no preview.`;
      return action === 'closed' ? { skip: ended } : { refuse, skip };
    }
    return action === 'closed'
      ? { deleted: forkBranch(fork, branch), pullRequest: number, why: ended }
      : { fork: { fork, branch, commit, pullRequest: number }, skip };
  }
  if (branch === (automation.webhook_branch ?? project.branch ?? event.defaultBranch))
    return { skip: `Pull request ${number} is of ${branch}, which is published. It gets no preview.` };
  if (action === 'closed') return { deleted: branch, pullRequest: number, why: ended };
  if (!triggerPreviewBody.safeParse({ branch }).success)
    return { skip: `The name of the branch of pull request ${number} is not valid.` };
  return { preview: branch, skip, pullRequest: number };
}

/** What the event asks for. */
function decide(event: ForgeEvent, automation: AutomationRow, project: ProjectRow): Decision {
  if (event.kind === 'ping') return { skip: 'The webhook works. From now on, pushes start exports.' };
  if (event.kind === 'other') return { skip: `Only pushes start exports; this is the event ${event.event}.` };
  if (project.source_kind !== 'git' || project.repository === null) {
    return { skip: 'The project no longer has a Git repository as its source.' };
  }
  if (!isRepository(event, project.repository)) {
    return {
      skip: `The push is to ${event.repositories[0] ?? 'another repository'}, not to the repository of the project.`,
    };
  }
  const [, branch] = /^refs\/heads\/(.+)$/.exec(event.ref ?? '') ?? [];
  if (branch === undefined) {
    const what = event.ref?.startsWith('refs/tags/') === true ? 'a tag' : 'no branch';
    return { skip: `Only pushes to a branch start exports; this is ${what}.` };
  }
  const published = project.branch ?? event.defaultBranch;
  const wanted = automation.webhook_branch ?? published;
  if (wanted === null) {
    return { skip: 'The delivery does not name the default branch. Set the branch of the project.' };
  }
  if (branch !== wanted) {
    if (event.commit === null)
      return { deleted: branch, pullRequest: null, why: `The branch ${branch} was deleted.` };
    const skip = `The push is to ${branch}; pushes to ${wanted} start exports.`;
    return triggerPreviewBody.safeParse({ branch }).success ? { preview: branch, skip } : { skip };
  }
  if (event.commit === null) return { skip: `The branch ${branch} was deleted.` };
  return { ref: branch === published ? null : branch };
}

async function readBody(bytes: Readable): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  // The request must outlive a refusal, or the response could not be sent on its connection.
  for await (const piece of bytes.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MAX_PAYLOAD_BYTES) {
      throw new AppError(
        'body_too_large',
        `The payload is larger than the limit of ${MAX_PAYLOAD_BYTES} bytes. Start an export for this push manually.`,
        { headers: { Connection: 'close' } },
      );
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
