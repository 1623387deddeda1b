import { counted } from '@offprint/contract/counted';
import { costOf } from '../../platform/model/cost.ts';
import {
  type AssistantPart,
  ModelError,
  type ModelMessage,
  type StepResult,
  type ToolCall,
} from '../../platform/model/port.ts';
import type { Draft } from '../draft.ts';
import type { JobEvent, JobUsage, TurnCounters, TurnOutcome } from '../record.ts';
import { runTool } from '../tools/registry.ts';
import type { FinishRequest, ToolContext, ToolMemory } from '../tools/tool.ts';
import { overrun } from './budget.ts';
import { firstKept, fitWindow, messagesOf, messageTokens, SUMMARY_REQUEST, windowFault } from './context.ts';
import { endTurn, finishOf, questionClaim, titleFrom } from './end-turn.ts';
import { changedFiles, openTurn, type Turn, type TurnRequest, type TurnResult } from './open-turn.ts';
import { isCall, stuckReason } from './stuck.ts';

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
  const isFirst = state.usage.calls === 0 && error.isUnreachable;
  const max = isFirst ? (request.firstConnections ?? MAX_RETRIES) : MAX_RETRIES;
  if (retries >= max || now - failingSince >= MAX_FAILING_MS) {
    return {
      kind: 'failed',
      code: 'model_unavailable',
      message: `${error.message} The request failed ${counted(retries, 'time')} in ${elapsedText(now - failingSince)}.`,
      isTemporary: true,
    };
  }
  const asked = error.retryAfterMs ?? 0;
  const inPlace = IN_PLACE_MS[retries - 1];
  if (inPlace !== undefined && asked <= LONGEST_IN_PLACE_MS) {
    const ms = Math.max(inPlace, asked);
    request.onRetry?.(error.message, ms);
    await request.sleep(ms, request.signal);
    return null;
  }
  const parked = PARK_MS[retries - IN_PLACE_MS.length - 1] ?? PARK_MS.at(-1) ?? 0;
  return { kind: 'waiting', until: new Date(now + Math.max(asked, parked)), message: error.message };
}

const elapsedText = (ms: number): string =>
  ms < 60_000 ? counted(Math.round(ms / 1000), 'second') : counted(Math.round(ms / 60_000), 'minute');

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
