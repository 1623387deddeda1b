import type {
  AssistantCallerStats,
  AssistantConversations,
  AssistantMessageBody,
  AssistantSettings,
  AssistantThread,
  UpdateAssistantSettingsBody,
} from '@offprint/contract';
import type { Kysely } from 'kysely';
import { openProjectModel, type SettingsAdapters } from '../agent/service.ts';
import type { ServedSite } from '../deployments/service.ts';
import type { Database } from '../platform/db/database.ts';
import { AppError, notFound } from '../platform/http/error.ts';
import type { Reach } from '../platform/http/route.ts';
import type { Logger } from '../platform/log.ts';
import { type ProjectRow, readProject } from '../projects/service.ts';
import { readEmbeddings, updateEmbeddings } from '../vectors/service.ts';
import type { AnswerLimits } from './answer.ts';
import type { Asker } from './asker.ts';
import { type Conversation, readConversation } from './conversation.ts';
import { findAssistantFiles } from './instructions.ts';
import { countQuestion, type DailyLimits, readerSubject, reserveTokens, useProof } from './limits.ts';
import type { OpenKnowledge } from './port.ts';
import { presentConversation, presentSettings, presentThread, settingsColumns } from './present.ts';
import { checkProof, createChallenge } from './proof.ts';
import { respond } from './respond.ts';
import {
  countCallers,
  findSettings,
  findThread,
  listConversations,
  listTurns,
  type Period,
  rateTurn,
  saveSettings,
  type TurnRow,
} from './store.ts';
import type { MessageEvent } from './stream.ts';
import { isUlid, newUlid } from './ulid.ts';

export { readAssistantFiles, saveAssistantFiles } from './instructions.ts';
export { createReleaseKnowledge } from './release-knowledge.ts';
export { startAssistantSweeper } from './sweep.ts';

/** Turns of a thread that the model sees again. */
const MAX_HISTORY = 5;

/** A question that was admitted. */
export interface Asked {
  messageId: string;
  threadId: string;
  events: AsyncIterable<MessageEvent>;
}

type AnyProject = { organizationId: string; projectId: string };

export interface AssistantService {
  /** The site that is served on a domain, if the caller can reach its project; throws the 404. */
  findSite(reach: Reach, domain: string): Promise<ServedSite>;
  /** The site of a host; undefined if it serves none. */
  findHost(host: string): Promise<ServedSite | undefined>;
  /**
   * Admits a question and starts to answer it; what ends it early ends the request to the model. Throws the 400, 409
   * and 429.
   */
  ask(
    site: ServedSite,
    asker: Asker,
    body: AssistantMessageBody,
    proof: Proof | null,
    signal: AbortSignal,
  ): Promise<Asked>;
  /** Rates an answer of the project; false if it does not exist. */
  rate(projectId: string, messageId: string, rating: 'up' | 'down' | null): Promise<boolean>;
  /** What the panel shows before the first question. */
  panel(site: ServedSite): Promise<{ starterQuestions: string[]; allowedOrigins: string[] }>;
  settings(organizationId: string, projectId: string): Promise<AssistantSettings>;
  updateSettings(
    organizationId: string,
    projectId: string,
    body: UpdateAssistantSettingsBody,
  ): Promise<{ before: AssistantSettings; settings: AssistantSettings }>;
  conversations(
    of: AnyProject,
    query: Period & {
      resolutionStatus?: TurnRow['resolution'] | undefined;
      cursor?: string | undefined;
      limit: number;
    },
  ): Promise<AssistantConversations>;
  thread(of: AnyProject, threadId: string): Promise<AssistantThread>;
  callerStats(of: AnyProject, period: Period): Promise<AssistantCallerStats>;
}

export interface Proof {
  challenge: string;
  solution: string;
}

export interface AssistantAdapters {
  db: Kysely<Database>;
  log: Logger;
  models: SettingsAdapters;
  openKnowledge: OpenKnowledge;
  findSite: (host: string) => Promise<ServedSite | undefined>;
  /** Why a project has no assistant, apart from its model; null if it has one. */
  featureFault(project: ProjectRow): Promise<string | null>;
  /** Signs challenges. */
  key: Buffer;
  daily: DailyLimits;
  answer: Omit<AnswerLimits, 'outputTokens'>;
  freeQuestions: number;
}

export function createAssistantService(adapters: AssistantAdapters): AssistantService {
  const { db } = adapters;

  const show = async (project: ProjectRow): Promise<AssistantSettings> => {
    const of = { organizationId: project.organization_id, projectId: project.id };
    const row = await findSettings(db, of);
    const fault = await adapters.featureFault(project);
    const model = await openProjectModel(db, adapters.models, project, row?.model ?? null);
    const embeddings = await readEmbeddings(db, project.id);
    return presentSettings(
      row,
      fault ?? (model instanceof AppError ? model.message : null),
      model,
      embeddings,
    );
  };

  return {
    findHost: adapters.findSite,
    async findSite({ organizationId, projects }, domain) {
      const site = await adapters.findSite(domain.toLowerCase());
      const isReached =
        site !== undefined &&
        site.organizationId === organizationId &&
        (projects === null || projects.includes(site.projectId));
      if (!isReached) throw notFound('site');
      return site;
    },
    ask: (site, asker, body, proof, signal) => ask(adapters, { site, asker, body, proof, signal }),
    rate: (projectId, messageId, rating) =>
      isUlid(messageId)
        ? rateTurn(db, projectId, messageId, rating === null ? null : rating === 'up' ? 1 : -1)
        : Promise.resolve(false),
    async panel(site) {
      const row = await findSettings(db, site);
      return { starterQuestions: row?.starter_questions ?? [], allowedOrigins: row?.allowed_origins ?? [] };
    },
    async settings(organizationId, projectId) {
      return show(await readProject(db, organizationId, projectId));
    },
    async updateSettings(organizationId, projectId, body) {
      const project = await readProject(db, organizationId, projectId);
      const before = await show(project);
      await db.transaction().execute(async (tx) => {
        await saveSettings(tx, { organizationId, projectId }, settingsColumns(body));
        await updateEmbeddings(tx, { organizationId, projectId }, body.embeddings, adapters.models);
      });
      return { before, settings: await show(project) };
    },
    async conversations(of, query) {
      await readProject(db, of.organizationId, of.projectId);
      if (query.cursor !== undefined && !isUlid(query.cursor)) {
        throw new AppError('invalid_request', 'cursor must be the nextCursor of an earlier response.', {
          param: 'cursor',
        });
      }
      const rows = await listConversations(db, of, query);
      const shown = rows.slice(0, query.limit);
      const hasMore = rows.length > shown.length;
      return {
        conversations: shown.map(presentConversation),
        nextCursor: hasMore ? (shown.at(-1)?.id ?? null) : null,
        hasMore,
      };
    },
    async thread(of, threadId) {
      await readProject(db, of.organizationId, of.projectId);
      const thread = isUlid(threadId) ? await findThread(db, of, threadId) : undefined;
      if (thread === undefined) throw notFound('thread');
      return presentThread(thread, (await listTurns(db, of, threadId, 1_000)).reverse());
    },
    async callerStats(of, period) {
      await readProject(db, of.organizationId, of.projectId);
      const counts = await countCallers(db, of, period);
      return { ...counts, total: counts.web + counts.api + counts.other };
    },
  };
}

interface AskRequest {
  site: ServedSite;
  asker: Asker;
  body: AssistantMessageBody;
  proof: Proof | null;
  signal: AbortSignal;
}

async function ask(adapters: AssistantAdapters, request: AskRequest): Promise<Asked> {
  const { db } = adapters;
  const { site, asker, body, signal } = request;
  const project = await readProject(db, site.organizationId, site.projectId);
  const sent = readConversation(body);
  const fault = await adapters.featureFault(project);
  if (fault !== null) throw new AppError('assistant_unavailable', fault);
  if (asker.isAnonymous) await requireProof(adapters, site, request.proof);

  const settings = await findSettings(db, site);
  const model = await openProjectModel(db, adapters.models, project, settings?.model ?? null);
  const threadId = body.threadId != null && isUlid(body.threadId) ? body.threadId : newUlid();
  const conversation = await withHistory(db, site, asker, sent, threadId, body.threadId === threadId);
  const reader = asker.identity === null ? null : await readerSubject(db, site.projectId, asker.identity);
  const reservation =
    model instanceof AppError
      ? null
      : await reserveTokens(db, {
          projectId: site.projectId,
          reader,
          tokens: adapters.answer.tokens,
          limits: adapters.daily,
        });
  try {
    const knowledge = await adapters.openKnowledge(site, asker);
    const results = await knowledge.search(conversation.query, body.retrievalPageSize);
    const messageId = newUlid();
    const events = respond({
      db,
      log: adapters.log,
      site,
      asker,
      siteName: project.name,
      settings,
      files: await findAssistantFiles(db, site.exportId),
      conversation,
      currentPath: cleanPath(body.currentPath ?? null),
      pages: body.retrievalPageSize,
      model: model instanceof AppError ? null : model,
      knowledge,
      results,
      reservation,
      limits: adapters.answer,
      messageId,
      threadId,
      signal,
    });
    return { messageId, threadId, events };
  } catch (error) {
    await reservation?.settle(0);
    throw error;
  }
}

/** Under load, a question needs a proof of work that was not used before. Throws the 429 with a challenge. */
async function requireProof(
  { db, key, freeQuestions }: AssistantAdapters,
  { projectId }: ServedSite,
  proof: Proof | null,
): Promise<void> {
  const questions = await countQuestion(db, projectId);
  if (questions <= freeQuestions) return;
  const isProven =
    proof !== null && checkProof(key, projectId, proof) && (await useProof(db, projectId, proof.challenge));
  if (isProven) return;
  const load = questions / Math.max(1, freeQuestions);
  throw new AppError(
    'proof_required',
    'Many readers ask questions. Send the question again with a proof of work.',
    {
      headers: { 'Offprint-Challenge': createChallenge(key, projectId, load) },
    },
  );
}

/** The conversation with the stored turns of its thread, where the request has none and the reader may see them. */
async function withHistory(
  db: Kysely<Database>,
  of: AnyProject,
  { groups }: Asker,
  sent: Conversation,
  threadId: string,
  isKnown: boolean,
): Promise<Conversation> {
  if (!isKnown || sent.history.length > 0) return sent;
  const turns = await listTurns(db, of, threadId, MAX_HISTORY);
  const allowed = turns.filter((turn) => turn.groups.every((group) => groups.includes(group))).reverse();
  const history = allowed.flatMap(({ query, response }): Conversation['history'] => [
    { role: 'user', text: query },
    { role: 'assistant', text: response === '' ? '…' : response },
  ]);
  return { ...sent, history };
}

/** A path as a page has it; null for anything else. */
function cleanPath(path: string | null): string | null {
  if (path === null || !/^\/?[^\s\\?#<>]{0,200}$/.test(path) || path.startsWith('//')) return null;
  return path.startsWith('/') ? path : `/${path}`;
}
