import { type Baseline, type ChangesCheck, checkChanges } from '../check/check-changes.ts';
import { blockingFindings, blockingFirst } from '../check/compare.ts';
import type { DocsCheck, Finding } from '../check/docs-check.ts';
import type { Draft } from '../draft.ts';
import { costOf } from '../model/cost.ts';
import {
  type AssistantPart,
  ModelError,
  type ModelMessage,
  type ModelPort,
  type ModelPrice,
  type StepResult,
  type ToolCall,
  type ToolDefinition,
} from '../model/port.ts';
import type { WritePolicy } from '../policy/write-policy.ts';
import {
  type CheckSummary,
  countProblems,
  type EventBody,
  type FailureCode,
  type HeldCode,
  heldText,
  type JobEvent,
  type JobUsage,
  keptFinding,
  MAX_KEPT_FINDINGS,
  notCheckedText,
  type TurnCounters,
  type TurnOutcome,
} from '../record.ts';
import { runTool } from '../tools/registry.ts';
import type { FinishRequest, ToolContext, ToolMemory } from '../tools/tool.ts';
import { createWorkspace } from '../workspace/overlay.ts';
import type { BaseTree, Change, Workspace } from '../workspace/workspace.ts';
import { overrun, type TurnLimits } from './budget.ts';
import { firstKept, fitWindow, messagesOf, messageTokens, SUMMARY_REQUEST, windowFault } from './context.ts';
import type { Entry, Journal, JournalState } from './journal.ts';
import { isCall, stuckReason } from './stuck.ts';

export interface TurnRequest {
  model: ModelPort;
  contextWindow: number;
  maxOutput: number;
  price: ModelPrice | null;
  /** Fixed part of every call of the model. */
  system: string;
  tools: readonly ToolDefinition[];
  base: BaseTree;
  /** Reads what of the base has not been read yet; default: all of it is there. */
  loadBase?(): Promise<void>;
  baseline: Baseline;
  policy: WritePolicy;
  check: DocsCheck;
  /** What of the changes may not be published, and what a person has to release; default nothing. */
  review?(workspace: Workspace): Promise<Review>;
  limits: TurnLimits;
  journal: Journal;
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after the given milliseconds; rejects with the reason of the signal. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  signal: AbortSignal;
  /** Shows people who watch the text of a call after the event `after` as it arrives. */
  openDraft?(after: number): Draft;
}

/** What the changes of a turn hold besides findings. */
export interface Review {
  /** What may not be published: the file, empty if it is about all changes together, and one sentence. */
  refused: { path: string; text: string }[];
  /** New code for the browsers of readers. */
  held: HeldCode[];
}

export type TurnResult =
  /** `blocking`, `refused`: new findings that count and refusals, left after the model received them. */
  | {
      kind: 'finished';
      outcome: TurnOutcome;
      changes: Change[];
      checks: CheckSummary;
      blocking: Finding[];
      refused: string[];
    }
  /** The model cannot be reached for longer than a worker waits. */
  | { kind: 'waiting'; until: Date; message: string }
  | { kind: 'failed'; code: FailureCode; message: string };

const MAX_NUDGES = 2;
/** Problems that one notice names. */
const MAX_TOLD = 20;
const MAX_LEFT_TEXT = 2_000;
const MAX_COMPACTIONS = 3;
const MAX_INVALID_CALLS = 4;
/** Waits between repetitions in place, milliseconds. */
const IN_PLACE_MS = [2_000, 8_000, 30_000];
const LONGEST_IN_PLACE_MS = 60_000;
const MAX_RETRIES = 10;
const MAX_FAILING_MS = 30 * 60_000;
const PARK_MS = [60_000, 120_000, 240_000];

/**
 * Works on a turn until it ends, has to wait or fails. The next step follows from the journal alone, and
 * every step is saved whole, so a turn that was interrupted anywhere resumes there: at most one call of the
 * model is repeated.
 *
 * Throws LostJobError when the job was taken away, and the reason of `signal`.
 */
export async function runTurn(request: TurnRequest): Promise<TurnResult> {
  const fault = windowFault(request, request.contextWindow, request.maxOutput);
  if (fault !== null) return { kind: 'failed', code: 'context_overflow', message: fault };
  const turn = await openTurn(request);
  for (;;) {
    request.signal.throwIfAborted();
    const last = turn.state.events.findLast(({ kind }) => kind !== 'state' && kind !== 'published');
    const calls = last?.kind === 'assistant' ? last.parts.filter(isCall) : [];
    if (last?.kind === 'assistant' && calls.length > 0) {
      await answerCalls(turn, calls);
      continue;
    }
    if (await turn.takeMessages()) continue;
    const finish = finishOf(last, turn);
    if (finish !== null) {
      if (await questionClaim(turn, finish)) continue;
      const result = await endTurn(turn, { ...finish, stopped: null });
      if (result !== null) return result;
      continue;
    }
    const stop = await checkLimits(turn);
    if (stop !== null) return stop;
    const step = await callModel(turn);
    if (step !== null) return step;
  }
}

/** A turn in hand: the journal's state, kept up to date with every save. */
interface Turn {
  request: TurnRequest;
  state: JournalState;
  workspace: Workspace;
  save(entry: Entry): Promise<void>;
  takeMessages(): Promise<boolean>;
}

async function openTurn(request: TurnRequest): Promise<Turn> {
  const { journal } = request;
  const state = await journal.load();
  if (state.overlay.size > 0) await request.loadBase?.();
  const turn: Turn = {
    request,
    state,
    workspace: createWorkspace(request.base, state.overlay),
    async save(entry) {
      const events = await journal.save(entry);
      state.events.push(...events);
      if (entry.counters !== undefined) state.counters = entry.counters;
      if (entry.usage !== undefined) state.usage = entry.usage;
      if (entry.memory !== undefined) state.memory = entry.memory;
    },
    async takeMessages() {
      const events = await journal.takeMessages();
      state.events.push(...events);
      return events.length > 0;
    },
  };
  return turn;
}

/** Runs the tools that the last message calls and saves their results and changes together. */
async function answerCalls(turn: Turn, calls: readonly ToolCall[]): Promise<void> {
  const { request, state, workspace } = turn;
  await request.loadBase?.();
  const before = workspace.overlay();
  const memory: ToolMemory = structuredClone(state.memory);
  const context: ToolContext = {
    workspace,
    policy: request.policy,
    memory,
    check: request.check,
    baseline: request.baseline,
    signal: request.signal,
  };
  const results = [];
  let { invalidCalls } = state.counters;
  let finish: FinishRequest | undefined;
  for (const { id, name, input } of calls) {
    request.signal.throwIfAborted();
    const output = await runTool(name, input, context);
    invalidCalls = output.invalid ? invalidCalls + 1 : 0;
    if (output.finish !== undefined && output.isError !== true) finish = output.finish;
    results.push({ id, name, output: output.text, isError: output.isError === true });
  }
  await turn.save({
    events: [{ kind: 'results', results, ...(finish === undefined ? {} : { finish }) }],
    memory,
    counters: { ...state.counters, invalidCalls },
    files: changedFiles(before, workspace.overlay()),
  });
}

/** Paths whose text in the overlay differs; `undefined` = in it no more. */
function changedFiles(
  before: ReadonlyMap<string, string | null>,
  after: ReadonlyMap<string, string | null>,
): Map<string, string | null | undefined> {
  const changed = new Map<string, string | null | undefined>();
  for (const [path, text] of after)
    if (before.get(path) !== text || !before.has(path)) changed.set(path, text);
  for (const path of before.keys()) if (!after.has(path)) changed.set(path, undefined);
  return changed;
}

/** How the model has ended its turn with its last word; null: it has not. */
function finishOf(last: JobEvent | undefined, turn: Turn): FinishRequest | null {
  if (last?.kind === 'results') return last.finish ?? null;
  if (last?.kind !== 'assistant' || last.finish === 'length') return null;
  const text = last.parts
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('')
    .trim();
  return { title: titleFrom(turn), summary: text, needsInput: null };
}

/** First person or passive, in the words in which models state that work is done; "I changed nothing" states none. */
const CLAIM =
  /\b(?:I|we)(?:['’]ve| have)?(?: (?:now|also|just|successfully))* (?:added|changed|converted|corrected|created|deleted|edited|fixed|moved|removed|renamed|replaced|rewrote|rewritten|updated|wrote|written)\b(?! (?:nothing|no|none|neither)\b)|\b(?:has|have) (?:now |also |just |successfully )*been (?:added|changed|converted|corrected|created|deleted|edited|fixed|moved|removed|renamed|replaced|rewritten|updated)\b/i;

const CLAIM_QUESTION =
  'No file was changed in this turn. If that is right, end the turn and state it. If not, make the changes, then finish.';

/** Asks, once a turn, about a last message that states a change where no file was changed. */
async function questionClaim(turn: Turn, { title, summary, needsInput }: FinishRequest): Promise<boolean> {
  const { state, workspace } = turn;
  if (needsInput !== null || workspace.changes().length > 0 || !CLAIM.test(`${title}\n${summary}`))
    return false;
  const now = state.events.at(-1)?.turn;
  const isAsked = state.events.some(
    (event) => event.turn === now && event.kind === 'notice' && event.text === CLAIM_QUESTION,
  );
  if (isAsked) return false;
  await turn.save({ events: [{ kind: 'notice', text: CLAIM_QUESTION }] });
  return true;
}

/** A title for what the model gave none: the first line of what was asked. */
function titleFrom({ state }: Turn): string {
  const prompt = state.events.find(({ kind }) => kind === 'prompt');
  const line = prompt?.kind === 'prompt' ? prompt.text.trim().split('\n', 1)[0]?.trim() : '';
  return line ? (line.length > 72 ? `${line.slice(0, 71).trimEnd()}…` : line) : 'Update the docs';
}

/**
 * Checks the changes. Null: the model received new findings and continues. What a turn leaves behind when it
 * was stopped is published only without new findings that count. A check without a result is not a finding:
 * the changes are published as a draft, and the model receives nothing.
 */
async function endTurn(turn: Turn, outcome: TurnOutcome): Promise<TurnResult | null> {
  const { request, workspace, state } = turn;
  const changes = workspace.changes();
  if (changes.length === 0) {
    if (outcome.stopped !== null) return { kind: 'failed', ...outcome.stopped };
    return {
      kind: 'finished',
      outcome,
      changes,
      checks: { status: 'checked', new: 0, fixed: 0 },
      blocking: [],
      refused: [],
    };
  }
  const found = await checkChanges(request, workspace, request.signal);
  const blocking = found.status === 'checked' ? blockingFindings(found.difference) : [];
  const checks = summaryOf(found);
  const notChecked = checks.status === 'checked' ? [] : [notCheckedText(checks)];
  const { refused, held } = (await request.review?.(workspace)) ?? { refused: [], held: [] };
  const problems = blocking.map(({ file, line, code, message }) => {
    return `${file}${line === null ? '' : `:${line}`} ${code}: ${message}`;
  });
  const rejected = refused.map(({ text }) => text);
  const faults = [...rejected, ...problems];
  if (faults.length > 0 && outcome.stopped !== null) {
    const { code, message } = outcome.stopped;
    return {
      kind: 'failed',
      code,
      message: `${message} The changes made before have ${countProblems(faults.length)} and were not published.`,
    };
  }
  if (faults.length > 0 && state.counters.nudges < MAX_NUDGES) {
    await turn.save({
      checks,
      counters: { ...state.counters, nudges: state.counters.nudges + 1 },
      events: [
        ...notChecked.map((text): EventBody => ({ kind: 'notice', text })),
        faultNotice(rejected, problems),
      ],
    });
    return null;
  }
  if (await leaveOut(turn, refused)) {
    return endTurn(turn, outcome);
  }
  const messages = [...notChecked, ...(held.length === 0 ? [] : [heldText(held)])];
  const events = messages.map((message): EventBody => ({ kind: 'state', phase: 'running', message }));
  await turn.save({ checks, events });
  return {
    kind: 'finished',
    outcome: { ...outcome, held, leftOut: leftOutOf(turn) },
    changes,
    checks,
    blocking,
    refused: rejected,
  };
}

/** No rejection is cut off: it is what stays unpublished. */
function faultNotice(rejected: readonly string[], problems: readonly string[]): EventBody {
  const told = [...rejected, ...problems.slice(0, MAX_TOLD)];
  const count = rejected.length + problems.length;
  const rest = count - told.length;
  const list = [...told.map((fault) => `- ${fault}`), ...(rest > 0 ? [`- and ${rest} more`] : [])];
  const text = `Your changes introduce ${countProblems(count)}. Fix ${count === 1 ? 'it' : 'them'}, then finish again:\n${list.join('\n')}`;
  return { kind: 'notice', text };
}

const LEFT_OUT = 'Rejected files were left out of the changes:';

/** What was left out in this turn, also by a worker before this one. */
function leftOutOf({ state: { events } }: Turn): string[] {
  const now = events.at(-1)?.turn;
  return events.flatMap((event) => {
    if (event.kind !== 'state' || event.turn !== now) return [];
    return event.message?.startsWith(LEFT_OUT) === true ? [event.message] : [];
  });
}

/** Takes rejected files out of the changes, if anything is left to publish; false if nothing was taken. */
async function leaveOut({ workspace, save }: Turn, refused: Review['refused']): Promise<boolean> {
  const paths = new Set(refused.map(({ path }) => path));
  const changed = workspace.changes().filter(({ path }) => paths.has(path));
  const isRest = workspace.changes().length > changed.length;
  if (changed.length === 0 || paths.has('') || !isRest) return false;
  const before = workspace.overlay();
  for (const { path } of changed) {
    const text = workspace.readBase(path);
    if (text !== null) workspace.write(path, text);
    else if (workspace.base.entries.has(path)) return false;
    else workspace.remove(path);
  }
  const message = `${LEFT_OUT} ${refused.map(({ text }) => text).join(' ')}`.slice(0, MAX_LEFT_TEXT);
  await save({
    files: changedFiles(before, workspace.overlay()),
    events: [{ kind: 'state', phase: 'running', message: message.toWellFormed() }],
  });
  return true;
}

function summaryOf(found: ChangesCheck): CheckSummary {
  if (found.status === 'not_checked') return { ...found, new: 0, fixed: 0 };
  const { difference } = found;
  return {
    status: 'checked',
    new: difference.new.length,
    fixed: difference.fixed.length,
    findings: blockingFirst(difference.new).slice(0, MAX_KEPT_FINDINGS).map(keptFinding),
  };
}

/** Ends a turn that may not continue; null if it may. */
async function checkLimits(turn: Turn): Promise<TurnResult | null> {
  const { request, state } = turn;
  const { counters } = state;
  const stopWith = (stopped: NonNullable<TurnOutcome['stopped']>) =>
    endTurn(turn, { title: titleFrom(turn), summary: '', needsInput: null, stopped });
  const over = overrun(counters, request.limits, state.turnStartedAt.getTime(), request.now());
  if (over !== null) return stopWith(over);
  if (counters.invalidCalls >= MAX_INVALID_CALLS) {
    const message = `The model made ${counters.invalidCalls} invalid tool calls in a row.`;
    return stopWith({ code: 'stuck', message });
  }
  const turnNumber = state.events.at(-1)?.turn;
  const since = state.events.filter(({ turn: number, seq }) => {
    return number === turnNumber && seq > (counters.warnedSeq ?? 0);
  });
  const reason = stuckReason(since);
  if (reason === null) return null;
  if (counters.warnedSeq !== null)
    return stopWith({ code: 'stuck', message: `${reason} This was already reported.` });
  await turn.save({
    events: [
      {
        kind: 'notice',
        text: `${reason} Try another approach, or finish and report what prevents it.`,
      },
    ],
    counters: { ...counters, warnedSeq: state.events.at(-1)?.seq ?? 0 },
  });
  return null;
}

/** Makes one call of the model and saves its response; null if the turn continues. */
async function callModel(turn: Turn): Promise<TurnResult | null> {
  const { request, state } = turn;
  const fit = fitWindow(state.events, state.counters.evictedBefore, request, request.contextWindow);
  if (fit.mustSummarise) {
    const stop = await summarise(turn);
    if (stop !== 'summarised') return stop;
    return null;
  }
  const counters = { ...state.counters, evictedBefore: fit.evictedBefore };
  const draft = request.openDraft?.(state.events.at(-1)?.seq ?? 0);
  const step = await stepOnce(turn, messagesOf(state.events, fit.evictedBefore), draft);
  if (step.kind === 'failed') {
    if (step.error.fault === 'context-overflow') {
      const stop = await summarise(turn);
      return stop === 'summarised' ? null : stop;
    }
    return retryLater(turn, step.error);
  }
  const { parts, finish, usage } = step.result;
  await turn.save({
    events: [
      { kind: 'assistant', parts: uniqueCalls(parts, state.counters.steps), finish, usage },
      ...(finish === 'length' && !parts.some(isCall) ? [cutNotice(request.maxOutput)] : []),
    ],
    ...spent(turn, counters, step.result),
  });
  if (finish === 'content-filter') {
    return {
      kind: 'failed',
      code: 'model_unavailable',
      message: 'A content filter of the model provider blocked the response. Rephrase the prompt.',
    };
  }
  return null;
}

const cutNotice = (tokens: number) =>
  ({
    kind: 'notice',
    text: `Your response was cut off at ${tokens} tokens. Continue in smaller steps: edit parts of files instead of writing whole files.`,
  }) as const;

type Step = { kind: 'done'; result: StepResult } | { kind: 'failed'; error: ModelError };

async function stepOnce(turn: Turn, messages: readonly ModelMessage[], draft?: Draft): Promise<Step> {
  const { request } = turn;
  const close = await request.journal.beginCall();
  let step: Step | undefined;
  try {
    const result = await request.model.step({
      system: request.system,
      messages,
      tools: request.tools,
      maxOutputTokens: request.maxOutput,
      signal: request.signal,
      ...(draft === undefined ? {} : { onText: draft.add }),
    });
    await close(result.finish, { usage: result.usage, costUsd: costOf(result.usage, request.price) });
    const isEmpty = !result.parts.some(
      (part) => isCall(part) || (part.type === 'text' && part.text.trim() !== ''),
    );
    if (isEmpty && result.finish !== 'length' && result.finish !== 'content-filter') {
      return { kind: 'failed', error: new ModelError('cut', 'The model returned an empty response.') };
    }
    step = { kind: 'done', result };
    return step;
  } catch (error) {
    request.signal.throwIfAborted();
    if (!(error instanceof ModelError)) throw error;
    await close(error.fault, null);
    return { kind: 'failed', error };
  } finally {
    await draft?.close(step !== undefined);
  }
}

/** Waits and lets the step be repeated, parks the turn, or gives up. */
async function retryLater(turn: Turn, error: ModelError): Promise<TurnResult | null> {
  const { request, state } = turn;
  if (error.fault === 'auth') return { kind: 'failed', code: 'model_auth', message: error.message };
  if (!error.retryable) return { kind: 'failed', code: 'model_unavailable', message: error.message };
  const now = request.now();
  const retries = state.counters.retries + 1;
  const failingSince = state.counters.failingSince ?? now;
  await turn.save({ counters: { ...state.counters, retries, failingSince } });
  if (retries >= MAX_RETRIES || now - failingSince >= MAX_FAILING_MS) {
    const minutes = Math.round((now - failingSince) / 60_000);
    return {
      kind: 'failed',
      code: 'model_unavailable',
      message: `${error.message} It was retried ${retries} times in ${minutes} minutes. Send a message to continue later.`,
    };
  }
  const asked = error.retryAfterMs ?? 0;
  const inPlace = IN_PLACE_MS[retries - 1];
  if (inPlace !== undefined && asked <= LONGEST_IN_PLACE_MS) {
    await request.sleep(Math.max(inPlace, asked), request.signal);
    return null;
  }
  const parked = PARK_MS[retries - IN_PLACE_MS.length - 1] ?? PARK_MS.at(-1) ?? 0;
  return { kind: 'waiting', until: new Date(now + Math.max(asked, parked)), message: error.message };
}

/** Replaces all but the last steps by a summary of the same model. */
async function summarise(turn: Turn): Promise<TurnResult | 'summarised' | null> {
  const { request, state } = turn;
  // A provider that counts more than we do: what is kept gets less with each summary.
  const kept = firstKept(state.events, request.contextWindow / 2 ** state.counters.compactions);
  const isLast = state.counters.compactions >= MAX_COMPACTIONS;
  if (kept === null || isLast) return overflow(turn);
  // Summarized without what stays, and with stubs for all results: it must fit itself.
  const before = state.events.filter(({ seq }) => seq < kept);
  const messages = messagesOf(before, kept);
  const last = messages.at(-1);
  const ask: ModelMessage[] =
    last?.role === 'user'
      ? [...messages.slice(0, -1), { role: 'user', text: `${last.text}\n\n${SUMMARY_REQUEST}` }]
      : [...messages, { role: 'user', text: SUMMARY_REQUEST }];
  if (messageTokens(ask) > request.contextWindow) return overflow(turn);
  // The request names the tools although none is to be called: some servers refuse a history of calls without them.
  const step = await stepOnce(turn, ask);
  if (step.kind === 'failed') {
    return step.error.fault === 'context-overflow' ? overflow(turn) : retryLater(turn, step.error);
  }
  const summary = step.result.parts
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('')
    .trim();
  const compactions = state.counters.compactions + 1;
  await turn.save({
    events: [{ kind: 'compaction', summary: summary === '' ? digest(before) : summary, firstKeptSeq: kept }],
    ...spent(turn, { ...state.counters, compactions }, step.result),
  });
  return 'summarised';
}

/** What can be said of left-out steps when the model says nothing: the prompts and the files that were touched. */
function digest(events: readonly JobEvent[]): string {
  const prompts = events.flatMap((event) => (event.kind === 'prompt' ? [event.text] : []));
  const paths = events.flatMap((event) =>
    event.kind === 'assistant'
      ? event.parts.filter(isCall).map(({ input }) => (input as { path?: unknown })?.path)
      : [],
  );
  const touched = [...new Set(paths.filter((path) => typeof path === 'string'))];
  return `## Goal\n${prompts.join('\n\n')}\n## Done\nFiles read or changed: ${touched.join(', ')}`;
}

function overflow({ request, state }: Turn): TurnResult {
  return {
    kind: 'failed',
    code: 'context_overflow',
    message: `The conversation no longer fits the context window of ${request.contextWindow} tokens, after ${state.counters.compactions} summaries. Use a model with a larger window, or ask for less in one job.`,
  };
}

function spent(
  turn: Turn,
  counters: TurnCounters,
  { usage }: StepResult,
): { counters: TurnCounters; usage: JobUsage } {
  const cost = costOf(usage, turn.request.price);
  const { usage: sum } = turn.state;
  return {
    counters: {
      ...counters,
      steps: counters.steps + 1,
      retries: 0,
      failingSince: null,
      input: counters.input + usage.input,
      output: counters.output + usage.output,
      costUsd: cost === null ? counters.costUsd : (counters.costUsd ?? 0) + cost,
    },
    usage: {
      input: sum.input + usage.input,
      output: sum.output + usage.output,
      cacheRead: sum.cacheRead + usage.cacheRead,
      cacheWrite: sum.cacheWrite + usage.cacheWrite,
      reasoning: sum.reasoning + usage.reasoning,
      calls: sum.calls + 1,
      costUsd: cost === null ? sum.costUsd : (sum.costUsd ?? 0) + cost,
    },
  };
}

/** Gives every call of a message an id of its own: servers repeat them or leave them out. */
function uniqueCalls(parts: readonly AssistantPart[], step: number): AssistantPart[] {
  const seen = new Set<string>();
  return parts.map((part, index) => {
    if (!isCall(part)) return part;
    const id = part.id === '' || seen.has(part.id) ? `call_${step}_${index}` : part.id;
    seen.add(id);
    return { ...part, id };
  });
}
