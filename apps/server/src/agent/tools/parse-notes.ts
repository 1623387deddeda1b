import type { CheckResult } from '../check/docs-check.ts';
import { reasonOf } from './output.ts';
import type { ToolContext } from './tool.ts';

/** Maximum findings that one result names. */
const MAX_FINDINGS = 10;

/** Milliseconds that a check of one page may take before the result is returned without it. */
const PARSE_TIME = 15_000;

/**
 * Syntax errors in texts just written, as lines to put under a result. Nothing found is said too, so that
 * silence never passes for praise. The change stays in any case.
 */
export async function parseNotes(path: string, text: string, context: ToolContext): Promise<string[]> {
  if (path.endsWith('.json')) return jsonNotes(path, text);
  if (!/\.mdx?$/i.test(path)) return [];
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(PARSE_TIME)]);
  let result: CheckResult;
  try {
    result = await context.check.parse(path, text, signal);
  } catch (error) {
    context.signal.throwIfAborted();
    const reason = signal.aborted ? 'the server is busy.' : reasonOf(error);
    result = { status: 'not_checked', reason };
  }
  if (result.status === 'not_checked') return [`[The syntax of ${path} was not checked: ${result.reason}]`];
  const { findings } = result;
  if (findings.length === 0) return ['Syntax: no problems.'];
  const lines = findings
    .slice(0, MAX_FINDINGS)
    .map(({ line, severity, code, message }) => `${path}:${line ?? 1} ${severity} ${code} ${message}`);
  const rest = findings.length - lines.length;
  const errors = findings.some((finding) => finding.severity === 'error');
  return [
    `Syntax${errors ? ': the change is kept, but the page does not parse correctly. Fix it:' : ':'}`,
    ...lines,
    ...(rest > 0 ? [`[${rest} more; see check_docs]`] : []),
  ];
}

function jsonNotes(path: string, text: string): string[] {
  try {
    JSON.parse(text.replace(/^\ufeff/, ''));
    return ['Syntax: no problems.'];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [
      `Syntax: the change is kept, but ${path} is not valid JSON now: ${reason.slice(0, 200)}. Fix it.`,
    ];
  }
}
