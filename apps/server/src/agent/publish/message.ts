import { harmlessCommitText, harmlessMarkdown, harmlessTitle } from '../policy/harmless.ts';
import type { PublishRequest } from './request.ts';

const MAX_TITLE = 200;
const MAX_COMMIT_TEXT = 4_000;
/** Forges take 65,536 characters or more; all parts together stay below, with room for what people add. */
const MAX_SUMMARY = 30_000;
const MAX_LINE = 400;
const MAX_NOTES = 40;
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

export function commitMessage(request: PublishRequest): string {
  const text = harmlessCommitText(request.summary, {
    maxLength: MAX_COMMIT_TEXT,
    secrets: request.secrets,
  });
  const parts = [pullRequestTitle(request), text, trailer(request.jobId)];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** Of a commit that joins what people pushed in the meantime. */
export function mergeMessage({ branch, jobId }: PublishRequest): string {
  return `Merge what others pushed to ${branch}\n\n${trailer(jobId)}\n`;
}

/** The body of the pull request, in Markdown that notifies, closes and embeds nothing. */
export function pullRequestBody(request: PublishRequest, notes: readonly string[]): string {
  const { secrets, summary, draft, reasons, footer, jobId } = request;
  const line = (text: string): string =>
    harmlessMarkdown(text.replace(/\s+/g, ' ').trim(), { maxLength: MAX_LINE, secrets }).replace(
      /\s*\n\s*/g,
      ' ',
    );
  const list = (heading: string, items: readonly string[], most: number): string => {
    if (items.length === 0) return '';
    const left = items.length - most;
    const lines = items.slice(0, most).map((item) => `- ${line(item)}`);
    return [`### ${heading}`, '', ...lines, ...(left > 0 ? [`- and ${left} more`] : [])].join('\n');
  };
  return [
    harmlessMarkdown(summary, { maxLength: MAX_SUMMARY, secrets }),
    list('Please review', notes, MAX_NOTES),
    list(draft ? 'Why this is a draft' : 'Before you merge', reasons, MAX_OTHERS),
    footer.length === 0 ? '' : `---\n\n${footer.slice(0, MAX_OTHERS).map(line).join('\n')}`,
    marker(jobId),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** A body that is there, brought up to date: all up to the marker is ours, what follows is other people's. */
export function updatedBody(before: string, jobId: string, body: string): string {
  const end = before.indexOf(marker(jobId)) + marker(jobId).length;
  return `${body}${before.slice(end)}`;
}
