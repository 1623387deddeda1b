import { createHash } from 'node:crypto';
import { type ChangesCheck, checkChanges } from '../check/check-changes.ts';
import { blockingFindings, blockingFirst } from '../check/compare.ts';
import {
  type CheckSummary,
  countProblems,
  type EventBody,
  heldText,
  type JobEvent,
  keptFinding,
  MAX_KEPT_FINDINGS,
  notCheckedText,
  type TurnOutcome,
} from '../record.ts';
import type { FinishRequest } from '../tools/tool.ts';
import type { Review, Verdict } from './journal.ts';
import { changedFiles, type Turn, type TurnResult } from './open-turn.ts';

const MAX_NUDGES = 2;
/** Problems that one notice names. */
const MAX_TOLD = 20;
const MAX_LEFT_TEXT = 2_000;
/** Problems of a verdict that is stored. One with more is found again by each attempt that needs it. */
const MAX_STORED = 1_000;

/** How the model has ended its turn with its last word; null: it has not. */
export function finishOf(last: JobEvent | undefined, turn: Turn): FinishRequest | null {
  if (last?.kind === 'results') return last.finish ?? null;
  if (last?.kind !== 'assistant' || last.finish === 'length') return null;
  const text = last.parts
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('')
    .trim();
  return { title: titleFrom(turn), summary: text, needsInput: null };
}

/**
 * First person or passive, in the words in which models state that work is done. "I changed nothing" and "no page has been
 * changed" state none.
 */
const CLAIM =
  /\b(?:I|we)(?:['’]ve| have)?(?: (?:now|also|just|successfully))* (?:added|changed|converted|corrected|created|deleted|edited|fixed|moved|removed|renamed|replaced|rewrote|rewritten|updated|wrote|written)\b(?! (?:nothing|no|none|neither)\b)|(?<!\b(?:no|none|nothing|neither)\b[^.!?\n]{0,60})\b(?:has|have) (?:now |also |just |successfully )*been (?:added|changed|converted|corrected|created|deleted|edited|fixed|moved|removed|renamed|replaced|rewritten|updated)\b/i;

const CLAIM_QUESTION =
  'No file was changed in this turn. If that is right, end the turn and state it. If not, make the changes, then finish.';

/** Asks, once a turn, about a last message that states a change where no file was changed. */
export async function questionClaim(
  turn: Turn,
  { title, summary, needsInput }: FinishRequest,
): Promise<boolean> {
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
export function titleFrom({ state }: Turn): string {
  const prompt = state.events.find(({ kind }) => kind === 'prompt');
  const line = prompt?.kind === 'prompt' ? prompt.text.trim().split('\n', 1)[0]?.trim() : '';
  return line ? (line.length > 72 ? `${line.slice(0, 71).trimEnd()}…` : line) : 'Update the docs';
}

/**
 * Checks the changes. Null: the model received new findings and continues. What a turn leaves behind when it
 * was stopped is published only without new findings that count. A check without a result is not a finding:
 * the changes are published as a draft, and the model receives nothing.
 */
export async function endTurn(turn: Turn, outcome: TurnOutcome): Promise<TurnResult | null> {
  const { workspace, state } = turn;
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
  const key = keyOf(turn);
  const stored = state.verdict?.key === key ? state.verdict : null;
  const verdict = stored ?? (await judge(turn, key));
  const { checks, blocking, refused, held } = verdict;
  const notChecked = checks.status === 'checked' ? [] : [notCheckedText(checks)];
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
  if (stored === null) {
    const messages = [...notChecked, ...(held.length === 0 ? [] : [heldText(held)])];
    const events = messages.map((message): EventBody => ({ kind: 'state', phase: 'running', message }));
    // A check without a result is repeated by the next attempt: the machine may have been busy.
    const isKept = notChecked.length === 0 && blocking.length <= MAX_STORED;
    await turn.save({ checks, events, ...(isKept ? { verdict } : {}) });
  }
  return {
    kind: 'finished',
    outcome: { ...outcome, held, leftOut: leftOutOf(turn) },
    changes,
    checks,
    blocking,
    refused: rejected,
  };
}

/** Checks and reviews the changes. */
async function judge({ request, workspace }: Turn, key: string): Promise<Verdict> {
  const found = await checkChanges(request, workspace, request.signal);
  const blocking = found.status === 'checked' ? blockingFindings(found.difference) : [];
  const review = (await request.review?.(workspace)) ?? { refused: [], held: [] };
  return { key, checks: summaryOf(found), blocking, ...review };
}

/** A digest of the turn, of its changed files and of what they are checked against. */
function keyOf({ request, state, workspace }: Turn): string {
  const files = [...workspace.overlay()].sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([request.basis ?? '', state.events.at(-1)?.turn, files]))
    .digest('hex');
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
