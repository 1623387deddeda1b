import { z } from 'zod';
import type { CodeFound, Finding, InspectQuestion, OperationQuestion } from './docs-check.ts';

/** What a check child is asked, one question a process. */
export type CheckRequest =
  /** The docs in the folder that the child reads. */
  | { kind: 'site' }
  | { kind: 'page'; path: string; text: string }
  | ({ kind: 'operation' } & OperationQuestion)
  | ({ kind: 'code' } & InspectQuestion);

/** Findings of docs that can be compared. One more in a result states that there are more. */
export const MAX_FINDINGS = 20_000;
const MAX_MESSAGE = 1000;

/** What a child has found, and the error at which it stopped, with its place. */
export interface Found {
  findings: Finding[];
  stopped: string | null;
}

type ErrorPlace = Pick<Finding, 'file' | 'line' | 'message'>;

/** Cuts what a child says to what readFindings takes. */
export function packFindings({
  findings,
  stoppedBy,
}: {
  findings: readonly Finding[];
  stoppedBy: ErrorPlace | null;
}): Found {
  return {
    findings: findings.slice(0, MAX_FINDINGS + 1).map(({ file, line, code, message, severity }) => ({
      file: cut(file, MAX_MESSAGE),
      line,
      code,
      message: cut(message, MAX_MESSAGE),
      severity,
    })),
    stopped: stoppedBy === null ? null : cut(placeOf(stoppedBy), MAX_MESSAGE),
  };
}

const placeOf = ({ file, line, message }: ErrorPlace): string =>
  `${file}${line === null ? '' : `:${line}`}: ${message}`;
const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;

const FOUND: z.ZodType<Found> = z.strictObject({
  findings: z
    .array(
      z.object({
        file: z.string().max(MAX_MESSAGE),
        line: z.int().nonnegative().nullable(),
        code: z.string().regex(/^[a-z0-9-]{1,64}$/),
        message: z.string().max(MAX_MESSAGE),
        severity: z.enum(['error', 'warning', 'info']),
      }),
    )
    .max(MAX_FINDINGS + 1),
  stopped: z.string().max(MAX_MESSAGE).nullable(),
});

/** The result of a child that has read hostile content. Throws when it is none. */
export function readFindings(answer: unknown): Found {
  return FOUND.parse(answer);
}

/** As readFindings, of a description of an operation. */
export function readOperationAnswer(answer: unknown): { text: string } | { fault: string } {
  return z
    .union([
      z.strictObject({ text: z.string().max(200_000) }),
      z.strictObject({ fault: z.string().max(20_000) }),
    ])
    .parse(answer);
}

/** What a child found in texts that it was asked to inspect. */
export interface Inspected {
  files: CodeFound[][];
  markup: CodeFound[][];
  descriptions: (string | null)[];
}

/** Findings of code in one text; more of them say nothing new. */
const MAX_CODE = 500;

/** Cuts what a child found to what readInspected takes. */
export function packCode(found: readonly CodeFound[]): CodeFound[] {
  return found.slice(0, MAX_CODE).map(({ line, what, key, unless }) => ({
    line,
    what: cut(what, MAX_MESSAGE),
    key: cut(key, 4 * MAX_MESSAGE),
    unless: unless === null ? null : { kind: unless.kind, name: cut(unless.name, MAX_MESSAGE) },
  }));
}

const CODE: z.ZodType<CodeFound[]> = z
  .array(
    z.object({
      line: z.int().nonnegative(),
      what: z.string().max(MAX_MESSAGE),
      key: z.string().max(4 * MAX_MESSAGE),
      unless: z
        .object({ kind: z.enum(['frame', 'api', 'import']), name: z.string().max(MAX_MESSAGE) })
        .nullable(),
    }),
  )
  .max(MAX_CODE);

/** As readFindings, of inspected texts: as many as were asked for. */
export function readInspected(answer: unknown, question: InspectQuestion): Inspected {
  return z
    .strictObject({
      files: z.array(CODE).length(question.files.length),
      markup: z.array(CODE).length(question.markup.length),
      descriptions: z.array(z.string().max(MAX_MESSAGE).nullable()).length(question.descriptions.length),
    })
    .parse(answer);
}
