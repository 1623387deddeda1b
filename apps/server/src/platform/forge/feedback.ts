import { z } from 'zod';
import { explainGitea } from './gitea.ts';
import { explainGithub } from './github.ts';
import { createAppTokens } from './github-app.ts';
import { explainGitlab } from './gitlab.ts';
import { type ForgeApiSettings, ForgeError } from './port.ts';
import {
  type Answer,
  type Call,
  createSend,
  type ForgeOptions,
  listAll,
  read,
  type Send,
} from './request.ts';

export type CommitState = 'pending' | 'success' | 'failure';

export interface CommitStatus {
  state: CommitState;
  /** Name of the check; the last status of a name counts. */
  context: string;
  /** One line. */
  description: string;
  /** Where the details are; null for none. */
  url: string | null;
}

export interface OwnComment {
  /**
   * A text that nobody else knows before the first comment is written, such as a MAC. It is kept in the comment, hidden
   * from readers, to find it again.
   */
  marker: string;
  /** Markdown. */
  body: string;
}

/** What a forge shows of a commit and a pull request. Requests throw ForgeError, or the reason of `signal`. */
export interface ForgeFeedback {
  setCommitStatus(commit: string, status: CommitStatus, signal: AbortSignal): Promise<void>;
  /** Writes the one comment with this marker on a pull request: edits it if it exists. */
  putComment(
    pullRequest: number,
    comment: OwnComment,
    signal: AbortSignal,
  ): Promise<'created' | 'edited' | 'unchanged'>;
}

/** Characters of a description that GitHub accepts; of a comment, some less than it accepts. */
const MAX_DESCRIPTION = 140;
const MAX_BODY = 60_000;
const MAX_PAGES = 20;
/** Looks for a comment whose creation may have been lost. */
const MAX_TRIES = 3;

const commentAnswer = z.object({ id: z.int().positive(), body: z.string().nullish() });
const anyAnswer = z.unknown();

/** How the three kinds of forges name the same things. */
interface Dialect {
  send: Send;
  status(commit: string, status: CommitStatus): Call;
  /** Comments of a pull request, oldest first. Gitea returns all of them at once. */
  list(pullRequest: number): Call;
  isPaged: boolean;
  create(pullRequest: number, body: string): Call;
  edit(pullRequest: number, comment: number, body: string): Call;
  /** Whether a refused status means that the commit has it already. */
  isSet(error: ForgeError): boolean;
}

/** Throws ForgeError `auth` when a private key cannot be read. */
export function createFeedback(settings: ForgeApiSettings, options: ForgeOptions): ForgeFeedback {
  const dialect = dialectOf(settings, options);
  const { send } = dialect;
  const find = async (pullRequest: number, marker: string, signal: AbortSignal) => {
    const isOurs = ({ body }: { body?: string | null | undefined }) => body?.includes(marker) === true;
    const enough = (items: readonly { body?: string | null | undefined }[]) => items.some(isOurs);
    const call = dialect.list(pullRequest);
    // The oldest one: anyone who repeats the marker has read it in ours.
    const comments = dialect.isPaged
      ? await listAll(send, call, commentAnswer, { maxPages: MAX_PAGES, enough }, signal)
      : read(commentAnswer.array(), await send(call, signal), call);
    return comments.find(isOurs);
  };

  return {
    async setCommitStatus(commit, status, signal) {
      if (!/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(commit))
        throw new ForgeError('rejected', 'The commit is not a full object name.');
      const description = status.description.replace(/\s+/g, ' ').slice(0, MAX_DESCRIPTION);
      const call = dialect.status(commit, { ...status, description });
      try {
        read(anyAnswer, await send(call, signal), call);
      } catch (error) {
        if (!(error instanceof ForgeError && dialect.isSet(error))) throw error;
      }
    },

    async putComment(pullRequest, { marker, body }, signal) {
      const text = `${body.slice(0, MAX_BODY).toWellFormed().trimEnd()}\n\n<!-- ${marker} -->`;
      for (let attempt = 1; ; attempt++) {
        const known = await find(pullRequest, marker, signal);
        // After a lost response, the comment is there.
        if (known?.body === text) return attempt === 1 ? 'unchanged' : 'created';
        try {
          await write(dialect, { pullRequest, id: known?.id ?? null, text }, signal);
          return known === undefined ? 'created' : 'edited';
        } catch (error) {
          if (attempt >= MAX_TRIES || !isRepeatable(error, known !== undefined)) throw error;
        }
      }
    },
  };
}

async function write(
  { send, create, edit }: Dialect,
  { pullRequest, id, text }: { pullRequest: number; id: number | null; text: string },
  signal: AbortSignal,
): Promise<void> {
  // A new comment whose response is lost is not sent again blindly: that would leave two.
  const call = id === null ? { ...create(pullRequest, text), once: true } : edit(pullRequest, id, text);
  read(commentAnswer, await send(call, signal), call);
}

/** Whether to look again: the response was lost, or somebody deleted the comment since it was found. */
function isRepeatable(error: unknown, wasFound: boolean): boolean {
  if (!(error instanceof ForgeError)) return false;
  return error.fault === 'unavailable' || (wasFound && error.fault === 'not-found');
}

function dialectOf(settings: ForgeApiSettings, options: ForgeOptions): Dialect {
  switch (settings.kind) {
    case 'github':
      return github(settings, options);
    case 'gitlab':
      return gitlab(settings, options);
    case 'gitea':
      return gitea(settings, options);
  }
}

/** Permissions by which forges name what is needed. */
interface Needs {
  status: string;
  comment: string;
}

function github(settings: Extract<ForgeApiSettings, { kind: 'github' }>, options: ForgeOptions): Dialect {
  const { repository, auth } = settings;
  const url = settings.apiUrl.replace(/\/+$/, '');
  const common = {
    accept: 'application/vnd.github+json',
    'user-agent': 'Offprint',
    'x-github-api-version': '2022-11-28',
  };
  const permissions = { statuses: 'write', pull_requests: 'write', metadata: 'read' };
  const app =
    auth.kind === 'app'
      ? createAppTokens(auth, { apiUrl: url, repository, headers: common, permissions }, options)
      : null;
  const token = async (signal: AbortSignal) =>
    auth.kind === 'token' ? auth.token : ((await app?.get(signal)) ?? '');
  const send = createSend(
    {
      name: 'GitHub',
      url,
      headers: async (signal) => ({ ...common, authorization: `Bearer ${await token(signal)}` }),
      explain: (answer: Answer, call: Call) => explainGithub(answer, call, repository),
      secrets: () => (auth.kind === 'token' ? [auth.token] : (app?.secrets() ?? [])),
    },
    options,
  );
  const path = `/repos/${encodePath(repository)}`;
  const needs = { status: 'Commit statuses: read and write', comment: 'Pull requests: read and write' };
  return { send, isSet: () => false, ...commentsOfIssues(path, 'per_page', needs) };
}

function gitea(settings: Extract<ForgeApiSettings, { kind: 'gitea' }>, options: ForgeOptions): Dialect {
  const { repository, token } = settings;
  const send = createSend(
    {
      name: 'The forge',
      url: settings.apiUrl.replace(/\/+$/, ''),
      headers: async () => ({
        accept: 'application/json',
        'user-agent': 'Offprint',
        authorization: `token ${token}`,
      }),
      explain: (answer: Answer, call: Call) => explainGitea(answer, call, repository),
      secrets: () => [token],
    },
    options,
  );
  const path = `/repos/${encodePath(repository)}`;
  const needs = {
    status: 'the scope repository: read and write',
    comment: 'the scope issue: read and write',
  };
  return { send, isSet: () => false, ...commentsOfIssues(path, null, needs) };
}

/** GitHub and Gitea: a pull request is an issue, too. */
function commentsOfIssues(path: string, size: string | null, needs: Needs): Omit<Dialect, 'send' | 'isSet'> {
  return {
    isPaged: size !== null,
    status: (commit, { state, context, description, url }) => ({
      method: 'POST',
      path: `${path}/statuses/${commit}`,
      body: { state, context, description, ...(url === null ? {} : { target_url: url }) },
      needs: needs.status,
    }),
    list: (number) => ({
      method: 'GET',
      path: `${path}/issues/${number}/comments`,
      ...(size === null ? {} : { query: { [size]: '100' } }),
      needs: needs.comment,
    }),
    create: (number, body) => ({
      method: 'POST',
      path: `${path}/issues/${number}/comments`,
      body: { body },
      needs: needs.comment,
    }),
    edit: (_number, id, body) => ({
      method: 'PATCH',
      path: `${path}/issues/comments/${id}`,
      body: { body },
      needs: needs.comment,
    }),
  };
}

function gitlab(settings: Extract<ForgeApiSettings, { kind: 'gitlab' }>, options: ForgeOptions): Dialect {
  const { repository, token } = settings;
  const needs = 'the scope api and the role Developer';
  const send = createSend(
    {
      name: 'GitLab',
      url: settings.apiUrl.replace(/\/+$/, ''),
      headers: async () => ({
        accept: 'application/json',
        'user-agent': 'Offprint',
        authorization: `Bearer ${token}`,
      }),
      explain: (answer: Answer, call: Call) => explainGitlab(answer, call, repository),
      secrets: () => [token],
    },
    options,
  );
  const path = `/projects/${encodeURIComponent(repository)}`;
  const notes = (number: number) => `${path}/merge_requests/${number}/notes`;
  return {
    send,
    isPaged: true,
    // GitLab refuses a status that the commit has already.
    isSet: ({ fault, message }) => fault === 'rejected' && /cannot transition status/i.test(message),
    status: (commit, { state, context, description, url }) => ({
      method: 'POST',
      path: `${path}/statuses/${commit}`,
      body: {
        state: state === 'failure' ? 'failed' : state,
        name: context,
        description,
        ...(url === null ? {} : { target_url: url }),
      },
      needs,
    }),
    list: (number) => ({
      method: 'GET',
      path: notes(number),
      query: { sort: 'asc', order_by: 'created_at', per_page: '100' },
      needs,
    }),
    create: (number, body) => ({ method: 'POST', path: notes(number), body: { body }, needs }),
    edit: (number, id, body) => ({ method: 'PUT', path: `${notes(number)}/${id}`, body: { body }, needs }),
  };
}

/** Slashes stay. */
function encodePath(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/');
}
