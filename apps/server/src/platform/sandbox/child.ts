/** Limits and grants of one child process. */
export interface ChildOptions<Input, Message> {
  /** Absolute path of the child's main module; it speaks `sandbox/protocol.ts`. */
  module: string;
  /** One JSON value, read by the child from its standard input. */
  input: Input;
  /** Folders the child may read (the module graph is granted by itself). */
  readable: readonly string[];
  /** The one folder the child may write. */
  writable: string;
  limits: ChildLimits;
  /** Whether children yield to the rest of the machine; see `setChildNiceness`. Default: they do. */
  priority?: ChildPriority;
  signal: AbortSignal;
  /** Called for each JSON line of the child. */
  onMessage(message: Message): void;
}

/** `normal` for work that a person waits for; `background` runs at the configured niceness. */
export type ChildPriority = 'normal' | 'background';

export interface ChildLimits {
  /** CPU time of the process on all cores, its start included: the same work takes about the same on a busy machine. */
  cpuMs: number;
  /** Ends a child that hangs. Much higher than `cpuMs`: reaching it says nothing about the input. */
  wallMs: number;
  memoryMb: number;
  outputBytes: number;
  /** CPU time of one step that the child announces, such as a page. Default: no limit of its own. */
  stepCpuMs?: number | undefined;
}

/**
 * - `cancelled`: the signal aborted
 * - `cpu-limit`, `step-limit`, `memory-limit`, `output-limit`: the input needs more than a limit, on an idle machine too
 * - `wall-limit`: the machine was busy or the child hung
 * - `killed`: a signal from outside, as of a kernel that is out of memory
 * - `crashed`: it ended without a result, or broke the protocol
 * - `start-failed`: it ended before it could take its input
 */
export type ChildFault =
  | 'cancelled'
  | 'cpu-limit'
  | 'step-limit'
  | 'memory-limit'
  | 'output-limit'
  | 'wall-limit'
  | 'killed'
  | 'crashed'
  | 'start-failed';

/** The child ended without a result. `fault` is the cause; `detail` is the end of its standard error, for the log. */
export class ChildError extends Error {
  override name = 'ChildError';
  readonly fault: ChildFault;
  readonly detail: string;
  /** The step that met the limit. Untrusted, as is everything that the child writes. */
  readonly step: string | null;
  constructor(fault: ChildFault, message: string, detail: string, step: string | null = null) {
    super(message);
    this.fault = fault;
    this.detail = detail;
    this.step = step;
  }

  /** The input met a limit, and meets it again. Every other error says nothing about the input. */
  get isLimit(): boolean {
    return ['cpu-limit', 'step-limit', 'memory-limit', 'output-limit'].includes(this.fault);
  }
}

/** Characters of the name of a step that are kept. */
export const MAX_STEP_LENGTH = 300;

/** The message of a `step-limit`. */
export function stepText(
  step: string | null,
  { stepCpuMs = 0 }: ChildLimits | Omit<ChildLimits, 'wallMs'>,
): string {
  const name = (step ?? 'A step').replace(/\p{Cc}/gu, ' ').slice(0, MAX_STEP_LENGTH);
  return `${name} needs more than ${Math.round(stepCpuMs / 1000)} s of CPU time.`;
}
