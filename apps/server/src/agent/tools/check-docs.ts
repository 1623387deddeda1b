import { z } from 'zod';
import { checkChanges } from '../check/check-changes.ts';
import { blockingFindings } from '../check/compare.ts';
import type { Finding } from '../check/docs-check.ts';
import { defineTool, type ToolOutput } from './tool.ts';

/** Characters of one result. */
const MAX_LENGTH = 50_000;
/** Findings of the base that are shown for `all`. */
const MAX_KNOWN = 30;

export const checkDocs = defineTool({
  name: 'check_docs',
  description:
    'Checks the current docs: syntax, links, anchors, images, imports, navigation. Lists the problems that your changes introduce, as "path:line code message"; fix those marked [blocks] before finish. Existing problems are counted, and listed with scope=all: leave them unless you were asked to fix them.',
  parameters: z.object({
    scope: z.enum(['changed', 'all']).describe('all: also list existing problems').default('changed'),
  }),
  async run({ scope }, { workspace, check, baseline, signal }) {
    const changes = workspace.changes();
    const found = await checkChanges({ check, baseline }, workspace, signal);
    if (found.status === 'not_checked') return notChecked(found.reason);
    const { difference } = found;
    const blocking = new Set(blockingFindings(difference));
    const changed = new Set(changes.map(({ path }) => path));
    const lines = [
      difference.new.length === 0
        ? 'New: none.'
        : `New: ${difference.new.length}, of which ${blocking.size} block.`,
    ];
    // What blocks first, then what is in files that were changed.
    const rank = (finding: Finding): number =>
      (blocking.has(finding) ? 0 : 2) + (changed.has(finding.file) ? 0 : 1);
    for (const finding of difference.new.toSorted((a, b) => rank(a) - rank(b)))
      lines.push(`${blocking.has(finding) ? '[blocks] ' : ''}${findingLine(finding)}`);
    if (difference.fixed.length > 0) lines.push(`Fixed: ${difference.fixed.length}.`);
    lines.push(`Existing: ${difference.known.length}.`);
    if (scope === 'all') {
      const known = difference.known.toSorted((a, b) => severity(a) - severity(b));
      lines.push(...known.slice(0, MAX_KNOWN).map(findingLine));
      if (known.length > MAX_KNOWN) lines.push(`(${known.length - MAX_KNOWN} more not shown)`);
    }
    return { text: cut(lines) };
  },
});

/** Nothing that the model did or can correct. */
const notChecked = (reason: string): ToolOutput => ({
  text: `Not checked: ${reason} This says nothing about your changes. Go on without this check.`,
});

/** A finding in one line. */
export function findingLine({ file, line, code, message }: Finding): string {
  return `${file}${line === null ? '' : `:${line}`} ${code} ${message.replace(/\s+/g, ' ')}`;
}

const severity = (finding: Finding): number => ['error', 'warning', 'info'].indexOf(finding.severity);

function cut(lines: readonly string[]): string {
  let length = 0;
  const end = lines.findIndex((line) => {
    length += line.length + 1;
    return length > MAX_LENGTH - 100;
  });
  if (end === -1) return lines.join('\n');
  return [...lines.slice(0, end), `(${lines.length - end} more lines; fix these first)`].join('\n');
}
