import { estimateTokens } from '../../platform/model/cost.ts';
import type { ModelMessage, ToolDefinition } from '../../platform/model/port.ts';
import type { JobEvent } from '../record.ts';

/** Steps whose results are never left out. */
const KEEP_STEPS = 6;
/** Shares of the window: when to start leaving out, how far down, and when to summarize. */
const EVICT_ABOVE = 0.7;
const EVICT_TO = 0.5;
const SUMMARISE_ABOVE = 0.85;
/** Share of the window that instructions and tools may take. */
const OVERHEAD = 0.6;

export interface Overhead {
  system: string;
  tools: readonly ToolDefinition[];
}

export function overheadTokens({ system, tools }: Overhead): number {
  return estimateTokens(system) + estimateTokens(JSON.stringify(tools));
}

/** Why a window is too small to begin with, or null. */
export function windowFault(overhead: Overhead, window: number, maxOutput: number): string | null {
  const taken = overheadTokens(overhead) + maxOutput;
  const most = Math.floor(window * OVERHEAD);
  if (taken <= most) return null;
  return `Instructions, tools and ${maxOutput} output tokens use ${taken} of the ${window} tokens of the context window, more than ${most}. Use a model with a larger window, fewer output tokens or shorter instructions.`;
}

/** The events that the model receives: those after the last compaction, and those that it kept. */
export function liveEvents(events: readonly JobEvent[]): JobEvent[] {
  const last = events.findLast((event) => event.kind === 'compaction');
  if (last === undefined) return [...events];
  return [last, ...events.filter((event) => event.seq >= last.firstKeptSeq && event.kind !== 'compaction')];
}

/** The conversation that events make. Results before `evictedBefore` are replaced with a stub. */
export function messagesOf(events: readonly JobEvent[], evictedBefore: number): ModelMessage[] {
  const messages: ModelMessage[] = [];
  const say = (text: string): void => {
    const last = messages.at(-1);
    // Some servers take strictly alternating roles only.
    if (last?.role === 'user')
      messages[messages.length - 1] = { role: 'user', text: `${last.text}\n\n${text}` };
    else messages.push({ role: 'user', text });
  };
  for (const event of liveEvents(events)) {
    switch (event.kind) {
      case 'prompt':
        say(event.text);
        break;
      case 'notice':
        say(`[Offprint] ${event.text}`);
        break;
      case 'compaction':
        say(`[Offprint] Earlier steps were removed. Summary:\n\n${event.summary}`);
        break;
      case 'assistant':
        messages.push({ role: 'assistant', parts: event.parts });
        break;
      case 'results':
        messages.push({
          role: 'tool',
          results:
            event.seq < evictedBefore
              ? event.results.map((result) => ({ ...result, output: stubOf(result) }))
              : event.results,
        });
        break;
      default:
    }
  }
  return messages;
}

const STUB_ABOVE = 400;

function stubOf({ name, output }: { name: string; output: string }): string {
  if (output.length <= STUB_ABOVE) return output;
  const head = output.split('\n', 1)[0]?.slice(0, 120) ?? '';
  const lines = output.split('\n').length;
  return `[${name}: ${head} (${lines} lines), left out to save space; call it again if needed]`;
}

export function messageTokens(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + 4 + estimateTokens(JSON.stringify(message)), 0);
}

export interface Fit {
  /** The event from which results are included in full. */
  evictedBefore: number;
  /** Whether a summary is needed before the next step. */
  mustSummarise: boolean;
  tokens: number;
}

/** Limits of the correction by reported usage: servers may report anything. */
const MIN_RATIO = 0.7;
const MAX_RATIO = 4;

/**
 * Input tokens that the provider reported for the last call, divided by our estimate for the same input; 1 without a
 * report since the last compaction. `evictedBefore` is that of the last call.
 */
function reportedRatio(events: readonly JobEvent[], evictedBefore: number, fixed: number): number {
  const since = events.findLast(({ kind }) => kind === 'compaction')?.seq ?? 0;
  const last = events.findLast((event) => event.kind === 'assistant' && event.usage.input > 0);
  if (last?.kind !== 'assistant' || last.seq < since) return 1;
  const sent = events.filter(({ seq }) => seq < last.seq);
  const estimate = fixed + messageTokens(messagesOf(sent, evictedBefore));
  return Math.min(MAX_RATIO, Math.max(MIN_RATIO, last.usage.input / estimate));
}

/** How the conversation fits the window: which results are left out, and whether that is enough. */
export function fitWindow(
  events: readonly JobEvent[],
  evictedBefore: number,
  overhead: Overhead,
  window: number,
): Fit {
  const fixed = overheadTokens(overhead);
  const ratio = reportedRatio(events, evictedBefore, fixed);
  const tokensWith = (before: number): number =>
    Math.ceil((fixed + messageTokens(messagesOf(events, before))) * ratio);
  let before = evictedBefore;
  let tokens = tokensWith(before);
  if (tokens > window * EVICT_ABOVE) {
    const steps = liveEvents(events).filter((event) => event.kind === 'results');
    const evictable = steps.slice(0, -KEEP_STEPS).filter(({ seq }) => seq >= before);
    for (const { seq } of evictable) {
      before = seq + 1;
      tokens = tokensWith(before);
      if (tokens <= window * EVICT_TO) break;
    }
  }
  return { evictedBefore: before, mustSummarise: tokens > window * SUMMARISE_ABOVE, tokens };
}

/**
 * Where a summary ends: the event that the last steps begin with, as many as fit half of the window and six at most.
 * Null when there is nothing before them.
 */
export function firstKept(events: readonly JobEvent[], window: number): number | null {
  const live = liveEvents(events);
  const steps = live.filter((event) => event.kind === 'assistant');
  for (let keep = Math.min(KEEP_STEPS, steps.length); keep > 0; keep -= 1) {
    const first = steps.at(-keep)?.seq ?? 0;
    const before = live.filter(({ seq, kind }) => seq < first && kind !== 'compaction');
    if (before.length === 0) continue;
    const kept = live.filter(({ seq, kind }) => seq >= first && kind !== 'compaction');
    if (keep === 1 || messageTokens(messagesOf(kept, 0)) <= window * EVICT_TO) return first;
  }
  return null;
}

export const SUMMARY_REQUEST = `[Offprint] The conversation will be shortened to save space. Write a summary of it for yourself, as text, without calling a tool, under exactly these headings:

## Goal
What was asked, in the words that matter, follow-ups included.
## Constraints
Rules and instructions to keep.
## Done
What was changed, with paths.
## Remaining
What is still to be done, in order.
## Decisions
What was found out or decided, with paths and names.`;
