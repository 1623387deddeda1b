/** Output for the runner: commands on standard output, and files for outputs and the summary. */
import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import type { ExportWarning } from '@offprint/client';
import type { Talk } from '../../../apps/cli/src/output.ts';
import type { Exported } from '../../../apps/cli/src/publish/loop.ts';
import { type Applied, appliedText } from '../../../apps/cli/src/publish/target.ts';

/** Maximum number of annotations per type and step. */
const MAX_ANNOTATIONS = 10;

const data = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** Masks a secret in all further output of the job. */
export function mask(secret: string): void {
  for (const line of secret.split(/\r?\n/)) if (line.trim() !== '') command(`::add-mask::${data(line)}`);
}

export function annotateError(message: string): void {
  command(`::error title=Offprint::${data(message)}`);
}

/** Annotates lines of the docs with the first warnings, and reports the number of further warnings. */
export function annotateWarnings(warnings: readonly ExportWarning[], folder: string): void {
  const shown = warnings.length > MAX_ANNOTATIONS ? MAX_ANNOTATIONS - 1 : warnings.length;
  for (const { file, line, code, message } of warnings.slice(0, shown)) {
    const path = folder === '' ? file : `${folder}/${file}`;
    const place = [`file=${property(path)}`, ...(line === null ? [] : [`line=${line}`])];
    command(`::warning ${place.join(',')},title=${property(code)}::${data(message)}`);
  }
  if (warnings.length > shown)
    command(`::warning title=Offprint::and ${warnings.length - shown} more warnings`);
}

/** Escapes runner commands in untrusted text: `::` at the start of a line and `##[` anywhere. */
export function harmless(line: string): string {
  return line.replace(/^(\s*)::/, '$1: :').replaceAll('##[', '# #[');
}

/** Prints plain lines, and progress in steps of 10 %. */
export function createTalk(): Talk {
  let lastTenth = -1;
  const say = (line: string) => {
    for (const part of line.split(/\r?\n|\r/)) command(harmless(part));
  };
  return {
    say,
    progress(fraction, text) {
      const tenth = Math.floor(Math.min(1, Math.max(0, fraction)) * 10);
      if (tenth <= lastTenth) return;
      lastTenth = tenth;
      say(`${String(tenth * 10).padStart(3)} %  ${text}`);
    },
    done() {
      lastTenth = -1;
    },
  };
}

/** Sets outputs of the step. The delimiter is random, so no value can contain it. */
export function setOutputs(file: string | undefined, outputs: Readonly<Record<string, string>>): void {
  if (file === undefined) return;
  const lines = Object.entries(outputs).flatMap(([name, value]) => {
    const delimiter = `end-${randomBytes(16).toString('hex')}`;
    return [`${name}<<${delimiter}`, value, delimiter];
  });
  appendFileSync(file, `${lines.join('\n')}\n`);
}

/** Content of a summary. It must not contain the link. */
export interface Summary {
  title: string;
  /** Null: no export was started. */
  jobId: string | null;
  exported: Exported | null;
  applied: readonly Applied[];
  /** Reason of the failure; null after success. */
  reason: string | null;
}

/** Writes the summary of the step: the export and where it was applied, or the reason of the failure. */
export function writeSummary(
  file: string | undefined,
  { title, jobId, exported, applied, reason }: Summary,
): void {
  if (file === undefined) return;
  const rows = [
    ...(exported === null ? [] : about(exported)),
    ...(jobId === null ? [] : [['Export', jobId]]),
    ...applied.map((one) => [one.place, appliedText(one)]),
  ];
  const parts = [`### ${title}`, ''];
  if (reason !== null) parts.push(...reason.split(/\r?\n/).map((line) => `> ${markdown(line.trim())}  `), '');
  if (rows.length > 0) {
    const table = rows.map((row) => `| ${row.map(markdown).join(' | ')} |`);
    parts.push('| | |', '| --- | --- |', ...table, '');
  }
  parts.push(...listOf(exported?.warnings ?? []));
  appendFileSync(file, `${parts.join('\n')}\n`);
}

const about = ({ job, bundle, warnings }: Exported): string[][] => [
  ['Domain', job.domain],
  ['Version', bundle.version],
  ['Commit', job.commit ?? 'none'],
  ['Pages', String(job.pageCount)],
  ['Warnings', String(warnings.length)],
  ['SHA-256', bundle.sha256],
  ['Link expires', bundle.expiresAt],
];

function listOf(warnings: readonly ExportWarning[]): string[] {
  if (warnings.length === 0) return [];
  const list = warnings.slice(0, 50).map(({ file: path, line, message }) => {
    return `- ${markdown(line === null ? path : `${path}:${line}`)}: ${markdown(message)}`;
  });
  const more = warnings.length > list.length ? [`- and ${warnings.length - list.length} more`] : [];
  return ['<details><summary>Warnings</summary>', '', ...list, ...more, '', '</details>', ''];
}

/** Escapes untrusted text for Markdown. */
function markdown(text: string): string {
  return text
    .replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g, ' ')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/[\\`*_{}[\]()#+!|~@:/.-]/g, (char) => `&#${char.charCodeAt(0)};`);
}

function command(line: string): void {
  process.stdout.write(`${line}\n`);
}
