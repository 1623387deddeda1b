import type { z } from 'zod';
import type { Baseline } from '../check/check-changes.ts';
import type { DocsCheck } from '../check/docs-check.ts';
import type { WritePolicy } from '../policy/write-policy.ts';
import type { Workspace } from '../workspace/workspace.ts';

export interface PlanItem {
  id: string;
  text: string;
  status: 'pending' | 'in_progress' | 'completed';
}

/** How a turn is ended by the model. */
export interface FinishRequest {
  /** Title of the pull request. */
  title: string;
  summary: string;
  /** A question to the person who asked; null: none. */
  needsInput: string | null;
}

/** What tools remember from call to call; stored with the results, so that a repeated call finds it as it was. */
export interface ToolMemory {
  /** Paths whose whole text the model has seen or written. */
  readPaths: string[];
  /** Paths read from their start up to a line, but not to their end yet. */
  readParts?: [path: string, line: number][];
  plan: PlanItem[];
}

/** What a tool works with. Tools are pure over it: the same call on the same context has the same result. */
export interface ToolContext {
  workspace: Workspace;
  /** Which paths may be written. */
  policy: WritePolicy;
  memory: ToolMemory;
  check: DocsCheck;
  /** By which `check_docs` distinguishes new findings. */
  baseline: Baseline;
  signal: AbortSignal;
}

export interface ToolOutput {
  text: string;
  isError?: boolean;
  /** Set by `finish` only. */
  finish?: FinishRequest;
}

/** A tool: a name, flat parameters, and what it does to the workspace. Never throws for the model's sake. */
export interface Tool<Schema extends z.ZodObject = z.ZodObject> {
  name: string;
  /** For the model, one to five lines. */
  description: string;
  parameters: Schema;
  run(input: z.output<Schema>, context: ToolContext): ToolOutput | Promise<ToolOutput>;
}

/** Keeps the exact types of a tool. */
export function defineTool<const Schema extends z.ZodObject>(tool: Tool<Schema>): Tool<Schema> {
  return tool;
}

/** A result that says what is wrong and how to continue. */
export function refuse(text: string): ToolOutput {
  return { text, isError: true };
}
