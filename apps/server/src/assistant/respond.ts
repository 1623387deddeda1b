import type { Kysely } from 'kysely';
import type { ServedSite } from '../deployments/service.ts';
import type { Database } from '../platform/db/database.ts';
import type { Logger } from '../platform/log.ts';
import { ModelError, type ModelPort, type ModelSettings } from '../platform/model/port.ts';
import { type AnswerEnd, type AnswerLimits, type AnswerSource, answerQuestion } from './answer.ts';
import type { Asker } from './asker.ts';
import type { Conversation } from './conversation.ts';
import type { AssistantFiles } from './instructions.ts';
import type { Reservation } from './limits.ts';
import { type LinkSite, urlOf } from './links.ts';
import type { FoundSection, SiteKnowledge } from './port.ts';
import { pathOf } from './prompt.ts';
import { insertTurn, type SettingsRow } from './store.ts';
import type { MessageEvent } from './stream.ts';

/** A question that was admitted, with all that its answer needs. */
export interface Admitted {
  db: Kysely<Database>;
  log: Logger;
  site: ServedSite;
  asker: Asker;
  siteName: string;
  settings: SettingsRow | undefined;
  files: AssistantFiles;
  conversation: Conversation;
  /** With a slash at the start; null: unknown. */
  currentPath: string | null;
  pages: number;
  /** Null: only search results are possible. */
  model: { model: ModelPort; settings: ModelSettings } | null;
  knowledge: SiteKnowledge;
  results: readonly FoundSection[];
  reservation: Reservation | null;
  limits: Omit<AnswerLimits, 'outputTokens'>;
  messageId: string;
  threadId: string;
  signal: AbortSignal;
}

const NO_MODEL =
  'The assistant of this site has no model, so it cannot write an answer. These pages match your question:';
const NO_MODEL_NOTHING =
  'The assistant of this site has no model, so it cannot write an answer. The search found no page.';
const FAILED = 'The assistant cannot answer right now. These pages match your question:';
const ANSWER_MS = 120_000;
const OUTPUT_TOKENS = 2_000;
const MAX_RESULTS = 5;

/** Answers a question, stores the turn, and counts what was used, whichever way it ends. */
export async function* respond(admitted: Admitted): AsyncGenerator<MessageEvent, void, undefined> {
  const { asker, site, currentPath, signal } = admitted;
  const link: LinkSite = { host: site.host, basePath: site.basePath, currentPath, origin: asker.origin };
  const state: State = { used: { input: 0, output: 0 }, text: '', end: null };
  let isStored = false;
  try {
    const failure = yield* answer(admitted, link, state);
    if (signal.aborted) return;
    if (failure !== null) {
      yield* say(failure);
      state.text += failure;
      yield { type: 'results', results: listResults(admitted.results, link) };
    }
    const end = endOf(state);
    if (end.resolution === 'unanswered') yield* deflect(admitted);
    if (end.sources.length > 0) yield { type: 'sources', sources: end.sources };
    isStored = true;
    await store(admitted, end);
    yield { type: 'finish', facts: { threadId: admitted.threadId, resolution: end.resolution } };
  } finally {
    await admitted.reservation?.settle(state.used.input + state.used.output);
    // The reader has left: what was written is a turn, too.
    if (!isStored && state.text !== '') await store(admitted, endOf(state));
  }
}

interface State {
  used: { input: number; output: number };
  text: string;
  end: AnswerEnd | null;
}

/** The answer of the model; or returns the sentence that readers get instead. */
async function* answer(
  admitted: Admitted,
  link: LinkSite,
  state: State,
): AsyncGenerator<MessageEvent, string | null, undefined> {
  if (admitted.model === null) return admitted.results.length === 0 ? NO_MODEL_NOTHING : NO_MODEL;
  const late = AbortSignal.timeout(ANSWER_MS);
  try {
    for await (const event of answerOf(admitted, link, late, state.used)) {
      if (event.type === 'text') state.text += event.text;
      if (event.type === 'end') state.end = event.end;
      else yield event;
    }
    return null;
  } catch (error) {
    if (admitted.signal.aborted) return null;
    const level = error instanceof ModelError || late.aborted ? 'warn' : 'error';
    admitted.log[level]({ err: error, projectId: admitted.site.projectId }, 'the assistant could not answer');
    return FAILED;
  }
}

const endOf = ({ used, text, end }: State): AnswerEnd =>
  end ?? {
    text: text.trim(),
    sources: [],
    resolution: 'unanswered',
    finish: 'error',
    inputTokens: used.input,
    outputTokens: used.output,
  };

function answerOf(
  { model, knowledge, conversation, files, siteName, pages, limits, results, signal }: Admitted,
  link: LinkSite,
  late: AbortSignal,
  used: { input: number; output: number },
) {
  if (model === null) throw new TypeError('a question without a model has no answer');
  return answerQuestion(
    { text: conversation.question, context: conversation.context, history: conversation.history, pages },
    {
      model: model.model,
      knowledge,
      link,
      site: { name: siteName, ...files },
      limits: { ...limits, outputTokens: Math.min(OUTPUT_TOKENS, model.settings.maxOutput) },
      onUse: (tokens) => Object.assign(used, tokens),
      signal: AbortSignal.any([signal, late]),
    },
    results,
  );
}

function* say(text: string): Generator<MessageEvent, void, undefined> {
  yield { type: 'text-start' };
  yield { type: 'text', text };
  yield { type: 'text-end' };
}

/** Where the team wants readers to go whose question was not answered. */
function* deflect({ settings, threadId }: Admitted): Generator<MessageEvent, void, undefined> {
  const { deflection = 'none', deflection_target: target = null } = settings ?? {};
  if (deflection === 'none' || target === null) return;
  if (deflection === 'email') return yield { type: 'deflection', kind: 'email', target };
  const url = new URL(target);
  url.searchParams.set('threadId', threadId);
  yield { type: 'deflection', kind: 'link', target: url.href };
}

/** Pages of the first search, one line each. */
function listResults(results: readonly FoundSection[], link: LinkSite): AnswerSource[] {
  const pages = new Map<string, AnswerSource>();
  for (const { path, title } of results) {
    if (!pages.has(path)) pages.set(path, { url: urlOf(link, pathOf({ path, anchor: null })), title });
  }
  return [...pages.values()].slice(0, MAX_RESULTS);
}

async function store(admitted: Admitted, end: AnswerEnd): Promise<void> {
  const { db, site, asker, conversation, messageId, threadId, currentPath } = admitted;
  await insertTurn(db, {
    id: messageId,
    threadId,
    organizationId: site.organizationId,
    projectId: site.projectId,
    query: conversation.question,
    response: end.text,
    sources: end.sources,
    resolution: end.resolution,
    caller: asker.caller,
    pageUrl: currentPath === null ? null : `https://${site.host}${site.basePath}${currentPath}`,
    groups: asker.groups,
    inputTokens: end.inputTokens,
    outputTokens: end.outputTokens,
  });
}
