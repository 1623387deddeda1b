/** What worker and renderer send each other on one connection, which is one run. */
import { z } from 'zod';
import { type ChildFault, type ChildLimits, MAX_STEP_LENGTH, stepText } from '../child.ts';

/** Name of the protocol in the Upgrade header. */
export const PROTOCOL = 'offprint-run';
/** Version of the program. Inputs and results have no other version, so both sides run the same one. */
export const VERSION_HEADER = 'offprint-version';

export const runPath = (program: string): string => `/run/${encodeURIComponent(program)}`;

/** Questions that one child may ask; see start-child.ts, which sets the same limit. */
export const MAX_QUESTIONS = 32;
/** Bytes of all messages of one run. */
export const MAX_TOTAL_MESSAGE_BYTES = 256 * 1024 ** 2;

const count = z.number().int().nonnegative();
const anything = z.unknown().transform((value) => value as unknown);

/** From the worker: `start`, the files of the source and `source-end`, then replies, each after its files. */
export const workerMessage = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('start'),
    input: anything,
    limits: z.object({
      cpuMs: count,
      wallMs: count,
      memoryMb: count,
      outputBytes: count,
      stepCpuMs: count.optional(),
    }),
    hasSource: z.boolean(),
    wantsOutput: z.boolean(),
    takesQuestions: z.boolean(),
  }),
  z.object({ kind: z.literal('source-end') }),
  z.object({ kind: z.literal('answer'), answer: anything }),
]);
export type WorkerMessage = z.output<typeof workerMessage>;

export const CHILD_FAULTS = [
  'cancelled',
  'cpu-limit',
  'step-limit',
  'memory-limit',
  'output-limit',
  'wall-limit',
  'killed',
  'crashed',
  'start-failed',
] as const satisfies readonly ChildFault[];

/** From the renderer: messages and questions, then `result`, the files of the output and `end`; or an error. */
export const rendererMessage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('message'), message: anything }),
  z.object({ kind: z.literal('question'), question: anything }),
  z.object({ kind: z.literal('result'), result: anything }),
  z.object({ kind: z.literal('end') }),
  z.object({
    kind: z.literal('error'),
    fault: z.enum(CHILD_FAULTS),
    message: z.string(),
    detail: z.string(),
    step: z.string().max(MAX_STEP_LENGTH).nullable(),
  }),
  /** It stops and has not finished the run. */
  z.object({ kind: z.literal('stopping') }),
]);
export type RendererMessage = z.output<typeof rendererMessage>;

/** The error of a limit in words of this process: the renderer is not trusted to write to users. */
export function limitText(fault: ChildFault, limits: ChildLimits, step: string | null = null): string | null {
  const seconds = (ms: number): number => Math.round(ms / 1000);
  switch (fault) {
    case 'cpu-limit':
      return `The work needs more than ${seconds(limits.cpuMs)} s of CPU time.`;
    case 'step-limit':
      return stepText(step, limits);
    case 'memory-limit':
      return `The work needs more than ${limits.memoryMb} MB of memory.`;
    case 'output-limit':
      return `The work writes more than ${limits.outputBytes} bytes.`;
    case 'wall-limit':
      return `The work did not end within ${seconds(limits.wallMs)} s: the server is busy, or the work hangs.`;
    default:
      return null;
  }
}
