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
  limits: { wallMs: number; memoryMb: number; outputBytes: number };
  signal: AbortSignal;
  /** Called for each JSON line of the child. */
  onMessage(message: Message): void;
}

export type ChildFault = 'cancelled' | 'timeout' | 'memory' | 'crashed' | 'output-limit';

/** The child ended without a result. `fault` says how; `detail` is its last words, for the log. */
export class ChildError extends Error {
  override name = 'ChildError';
  readonly fault: ChildFault;
  readonly detail: string;
  constructor(fault: ChildFault, message: string, detail: string) {
    super(message);
    this.fault = fault;
    this.detail = detail;
  }
}
