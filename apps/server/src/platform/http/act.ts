import type { Route } from '@offprint/contract';
import { answerError } from './error.ts';
import type { Act, Answer, Principal, UserPrincipal } from './route.ts';

/** What is known about a request before it is handled. */
export interface ActContext {
  route: Route;
  principal: Principal | undefined;
  user: UserPrincipal | undefined;
  params: unknown;
  body: unknown;
  address: string;
  requestId: string;
}

/** Calls of strangers that change who may do what. */
const STRANGERS = new Set(['signUp', 'signIn', 'resetPassword', 'requestPasswordReset']);

/** Reads that have a body, and questions, which are stored as threads. */
const QUERIES = new Set(['searchSite', 'getSitePage', 'createAssistantMessage']);

/** Reads that take a copy of everything away. */
const READS = new Set(['exportAuditEvents']);

/** Whether calls of the route are written down. */
export function isRecorded(route: Route): boolean {
  if (route.method === 'GET') return READS.has(route.operationId);
  if (QUERIES.has(route.operationId)) return false;
  return route.scope !== null || route.access !== undefined || STRANGERS.has(route.operationId);
}

/** The audit event of a handled request. */
export function actOf(context: ActContext, answer: Answer): Act {
  return { ...actStart(context), outcome: 'done', code: null, ...overrides(answer) };
}

/**
 * The act of a call that was refused or failed; undefined for what is not worth a line: requests that say nothing
 * sensible, and those above a limit, which may come by the thousand.
 */
export function actOfError(context: ActContext, error: unknown): Act | undefined {
  const { status, body } = answerError(error, context.requestId);
  if (status === 400 || status === 413 || status === 415 || status === 429) return undefined;
  if (
    context.principal === undefined &&
    context.user === undefined &&
    !STRANGERS.has(context.route.operationId)
  )
    return undefined;
  return { ...actStart(context), outcome: status >= 500 ? 'failed' : 'refused', code: body.code ?? null };
}

/** The act of a request before its outcome is known. */
export function actStart({
  route,
  principal,
  user,
  params,
  body,
  address,
  requestId,
}: ActContext): Omit<Act, 'outcome' | 'code'> {
  const actor: Act['actor'] =
    principal !== undefined
      ? { kind: principal.kind, id: principal.id, name: principal.name }
      : user !== undefined
        ? { kind: route.access === 'operator' ? 'operator' : 'user', id: user.id, name: user.email }
        : { kind: 'stranger', id: null, name: emailOf(body) };
  const ids = Object.values((params ?? {}) as Record<string, string>);
  return {
    organizationId: principal?.organizationId ?? null,
    actor,
    action: route.operationId,
    target: ids.at(-1)?.slice(0, 200) ?? null,
    address,
    requestId,
  };
}

function overrides(answer: Answer): Partial<Act> {
  const { organizationId, actor, target, refused, changes } = answer.act ?? {};
  const made = idOf(answer.body);
  return {
    ...(organizationId === undefined ? {} : { organizationId }),
    ...(actor === undefined ? {} : { actor }),
    ...(changes === undefined ? {} : { changes }),
    ...(refused === undefined ? {} : { outcome: 'refused', code: refused }),
    ...(target !== undefined ? { target } : made === undefined ? {} : { target: made }),
  };
}

/** The id in the body of a response that created something. */
function idOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const id = 'jobId' in body ? body.jobId : 'id' in body ? body.id : undefined;
  return typeof id === 'string' ? id : undefined;
}

function emailOf(body: unknown): string {
  const email = typeof body === 'object' && body !== null && 'email' in body ? body.email : undefined;
  // As it came, blanks and all: the contract has not trimmed it.
  return typeof email === 'string' ? email.trim().toLowerCase().slice(0, 254) : '';
}
