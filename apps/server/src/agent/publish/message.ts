import { createHash } from 'node:crypto';
import { harmlessCommitText, harmlessMarkdown, harmlessTitle } from '../policy/harmless.ts';
import type { PublishRequest } from './request.ts';

const MAX_TITLE = 200;
const MAX_COMMIT_TEXT = 4_000;
/** Forges take 65,536 characters or more; all parts together stay below, with room for what people add. */
const MAX_SUMMARY = 30_000;
const MAX_BODY = 45_000;
const MAX_LINE = 400;
const MAX_NOTES = 40;
const MAX_FINDINGS = 20;
const MAX_OTHERS = 10;

/** The line by which a commit is known for one of a job. */
export function trailer(jobId: string): string {
  return `Offprint-Job: ${jobId}`;
}

export function hasTrailer(message: string, jobId: string): boolean {
  return message.split('\n').includes(trailer(jobId));
}

/** The line by which a pull request is known for that of a job. What people write after it is left to them. */
export function marker(jobId: string): string {
  return `<!-- offprint-job:${jobId} -->`;
}

export function pullRequestTitle({ title, secrets }: PublishRequest): string {
  return harmlessTitle(title, { maxLength: MAX_TITLE, secrets });
}

function turnTitle({ turnTitle: title, secrets }: PublishRequest): string {
  return harmlessTitle(title, { maxLength: MAX_TITLE, secrets });
}

export function commitMessage(request: PublishRequest): string {
  const text = harmlessCommitText(request.summary, {
    maxLength: MAX_COMMIT_TEXT,
    secrets: request.secrets,
  });
  const parts = [turnTitle(request), text, trailer(request.jobId)];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** Of a commit that joins what people pushed in the meantime. */
export function mergeMessage({ branch, jobId }: PublishRequest): string {
  return `Merge what others pushed to ${branch}\n\n${trailer(jobId)}\n`;
}

/**
 * The body of the pull request, in Markdown that notifies, closes and embeds nothing: what the turn did, then the state of
 * the work.
 */
export function pullRequestBody(request: PublishRequest, notes: readonly string[]): string {
  return joined([described(request), turnMarker(request), stateOf(request, notes)]);
}

const joined = (parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n\n');

function described({ summary, secrets }: PublishRequest): string {
  return harmlessMarkdown(summary, { maxLength: MAX_SUMMARY, secrets });
}

/** What a person has to know of the work as it is now; replaced at each turn. */
function stateOf(request: PublishRequest, notes: readonly string[]): string {
  const { draft, reasons, held, findings, footer, jobId } = request;
  const line = (text: string): string => oneLine(text, request);
  const list = (heading: string, items: readonly string[], most: number, total = items.length): string => {
    if (items.length === 0) return '';
    const left = total - Math.min(most, items.length);
    const lines = items.slice(0, most).map((item) => `- ${line(item)}`);
    return [`### ${heading}`, '', ...lines, ...(left > 0 ? [`- and ${left} more`] : [])].join('\n');
  };
  const text = joined([
    held.length === 0 ? '' : `${list(HELD, held, MAX_NOTES)}\n\n${RELEASE}`,
    list('Please review', notes, MAX_NOTES),
    list(draft ? 'Why this is a draft' : 'Before you merge', reasons, MAX_OTHERS),
    list('New problems found by the checks', findings.shown, MAX_FINDINGS, findings.total),
    footer.length === 0 ? '' : `---\n\n${footer.slice(0, MAX_OTHERS).map(line).join('\n')}`,
    heldMarker(held),
  ]);
  return joined([`<!-- offprint-state:${digest(text)} -->`, text, marker(jobId)]);
}

/** Forges change line ends and blanks at the ends of lines. */
const digest = (text: string): string =>
  createHash('sha256').update(text.replace(/\s+/g, ' ').trim()).digest('hex').slice(0, 16);

/** The line by which a turn is known for one that the body describes already. */
const turnMarker = ({ commitAt }: PublishRequest): string =>
  `<!-- offprint-turn:${Math.floor(commitAt.getTime() / 1000)} -->`;

const HELD = 'New code for the browsers of readers';
const RELEASE =
  'This pull request stays a draft until a person has reviewed this code. To release it, mark the pull request as ready for review.';

function oneLine(text: string, { secrets }: Pick<PublishRequest, 'secrets'>): string {
  const plain = harmlessMarkdown(text.replace(/\s+/g, ' ').trim(), { maxLength: MAX_LINE, secrets });
  return plain.replace(/\s*\n\s*/g, ' ');
}

/**
 * What held code is known by, apart from its line, which moves with each change of a page. In a comment, because comments
 * of the model are removed: it cannot claim that a person has seen its code.
 */
const heldKeys = (held: readonly string[]): string[] =>
  held.map((line) =>
    createHash('sha256')
      .update(line.replace(/^(`[^`]*`), line \d+:/, '$1:'))
      .digest('hex')
      .slice(0, 16),
  );

const heldMarker = (held: readonly string[]): string =>
  held.length === 0 ? '' : `<!-- offprint-held:${heldKeys(held.slice(0, MAX_NOTES)).join(',')} -->`;

/** Whether a body lists all held code. */
export function listsHeld({ held }: Pick<PublishRequest, 'held'>, body: string): boolean {
  const listed = new Set(/<!-- offprint-held:([0-9a-f,]*) -->/.exec(body)?.[1]?.split(','));
  return heldKeys(held).every((key) => listed.has(key));
}

/**
 * A body that is there, brought up to date. What is there stays, ticked boxes and changes of people included; what this turn
 * did is added, and the state is replaced, unless people have changed its text: then theirs stays above the new one.
 */
export function updatedBody(before: string, request: PublishRequest, notes: readonly string[]): string {
  const at = before.indexOf(marker(request.jobId));
  const [ours, after] = [before.slice(0, at), before.slice(at + marker(request.jobId).length)];
  const state = /<!-- offprint-state:([0-9a-f]{16}) -->/.exec(ours);
  const text = state === null ? '' : ours.slice(state.index + state[0].length);
  const isOwn = state !== null && digest(text) === state[1];
  const kept = (isOwn ? ours.slice(0, state.index) : ours).replace(
    /<!-- offprint-(?:state|held):[0-9a-f,]* -->\s*/g,
    '',
  );
  const section = before.includes(turnMarker(request))
    ? ''
    : joined([`### ${turnTitle(request)}`, described(request), turnMarker(request)]);
  const room = MAX_BODY - kept.length - after.length;
  return `${joined([kept.trimEnd(), section.length > room ? '' : section, stateOf(request, notes)])}${after}`;
}
