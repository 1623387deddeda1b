import { createHash } from 'node:crypto';
import { AppError } from '../platform/http/error.ts';
import type { Delivery } from './signature.ts';

/** The content of a delivery, independent of the forge. Texts are of strangers, cut short. */
export interface ForgeEvent {
  forge: string;
  /** The forge's id of the delivery; without one, a digest of the body. */
  delivery: string;
  /** As the forge names it. */
  event: string;
  kind: 'ping' | 'push' | 'other';
  /** Full name: `refs/heads/main`. */
  ref: string | null;
  /** Null when the ref was deleted. */
  commit: string | null;
  /** Paths by which the forge knows the repository: `acme/docs`, and those of its addresses. */
  repositories: readonly string[];
  defaultBranch: string | null;
  /** The person who pushed. */
  pusher: string | null;
}

export type Members = Readonly<Record<string, unknown>>;

/** Reads a delivery that is signed. Throws the 400 for a body that is not a payload. */
export function readForgeEvent({ header, body }: Delivery): ForgeEvent {
  const payload = readPayload(body, header('content-type') ?? '');
  const digest = createHash('sha256').update(body).digest('hex');
  const named = (...names: string[]): string | null =>
    names
      .map(header)
      .find((value) => value !== undefined && value !== '')
      ?.slice(0, 200) ?? null;
  const forge = FORGES.find(({ header: name }) => header(name) !== undefined);
  const event = named(forge?.header ?? 'x-github-event') ?? short(payload.object_kind) ?? 'unknown';
  const after = short(payload.after, 64);
  const repository = members(payload.repository);
  const project = members(payload.project);
  return {
    forge: forge?.name ?? 'Webhook',
    delivery: named(...(forge?.delivery ?? []), 'webhook-id') ?? digest,
    event,
    kind: kindOf(event),
    ref: short(payload.ref),
    commit: after === null || /^0*$/.test(after) ? null : after,
    repositories: [
      repository.full_name,
      project.path_with_namespace,
      ...[repository, project].flatMap((of) => ADDRESSES.map((name) => pathOf(of[name]))),
    ].flatMap((path) => (typeof path === 'string' && path.length <= 2_048 ? [plainPath(path)] : [])),
    defaultBranch: short(repository.default_branch) ?? short(project.default_branch),
    pusher:
      short(members(payload.pusher).login, 60) ??
      short(members(payload.pusher).name, 60) ??
      short(payload.user_username, 60),
  };
}

/** The header that names the event; of forges that also send those of others, first. */
const FORGES = [
  {
    name: 'Forgejo',
    header: 'x-forgejo-event',
    delivery: ['x-forgejo-delivery', 'x-gitea-delivery'],
  },
  { name: 'Gitea', header: 'x-gitea-event', delivery: ['x-gitea-delivery'] },
  { name: 'GitLab', header: 'x-gitlab-event', delivery: ['idempotency-key', 'x-gitlab-event-uuid'] },
  { name: 'GitHub', header: 'x-github-event', delivery: ['x-github-delivery'] },
] as const;

const ADDRESSES = ['clone_url', 'ssh_url', 'html_url', 'git_http_url', 'git_ssh_url', 'web_url'];

function kindOf(event: string): ForgeEvent['kind'] {
  if (event === 'ping') return 'ping';
  return ['push', 'Push Hook', 'Tag Push Hook', 'tag_push'].includes(event) ? 'push' : 'other';
}

/** The members of a payload. Throws the 400 for a body that is not one. */
export function readPayload(body: Buffer, contentType: string): Members {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) {
      text = new URLSearchParams(text).get('payload') ?? '';
    }
    const value: unknown = JSON.parse(text);
    if (isMembers(value)) return value;
  } catch (error) {
    throw new AppError('invalid_json', 'The payload is not JSON in UTF-8.', { cause: error });
  }
  throw new AppError('invalid_json', 'The payload is not a JSON object.');
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of an object; none of anything else. */
export const members = (value: unknown): Members => (isMembers(value) ? value : {});

/** A text of a stranger on one line, or null. */
export function short(value: unknown, length = 255): string | null {
  if (typeof value !== 'string' || value === '') return null;
  return value.replace(/\p{Cc}/gu, ' ').slice(0, length);
}

/** The path of an address of a repository, https or ssh. */
function pathOf(address: unknown): string | null {
  if (typeof address !== 'string') return null;
  const short = /^[\w.-]+@[\w.-]+:(?!\/\/)(.+)$/.exec(address)?.[1];
  return short ?? URL.parse(address)?.pathname ?? null;
}

/** Forges compare names without case; the ending is optional. */
function plainPath(path: string): string {
  return path
    .toLowerCase()
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.git$/, '');
}

/**
 * Whether the repository of a project is the one of the event. Hosts are not compared: inside a cluster a
 * forge often has another name than it reports.
 */
export function isRepository(event: ForgeEvent, address: string): boolean {
  const path = plainPath(pathOf(address) ?? '');
  return event.repositories.some((known) => known !== '' && (path === known || path.endsWith(`/${known}`)));
}
