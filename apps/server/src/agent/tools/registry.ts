import { faultOf } from '@offprint/contract';
import type { z } from 'zod';
import type { ToolDefinition } from '../../platform/model/port.ts';
import { checkDocs } from './check-docs.ts';
import { deleteFile } from './delete-file.ts';
import { editFile } from './edit-file.ts';
import { finish } from './finish.ts';
import { getNavigation } from './get-navigation.ts';
import { getOpenapiOperation } from './get-openapi-operation.ts';
import { fitInput, jsonFault, schemaOf } from './input.ts';
import { listFiles } from './list-files.ts';
import { moveFile } from './move-file.ts';
import { reasonOf, storable } from './output.ts';
import { readFile } from './read-file.ts';
import { replaceInFiles } from './replace-in-files.ts';
import { search } from './search.ts';
import { showChanges } from './show-changes.ts';
import { refuse, type Tool, type ToolContext, type ToolOutput } from './tool.ts';
import { updateNavigation } from './update-navigation.ts';
import { updatePlan } from './update-plan.ts';
import { writeFile } from './write-file.ts';

/** Every tool, in the order in which models receive them. */
export const TOOLS: readonly Tool[] = [
  listFiles,
  search,
  readFile,
  editFile,
  writeFile,
  moveFile,
  deleteFile,
  replaceInFiles,
  getNavigation,
  updateNavigation,
  getOpenapiOperation,
  checkDocs,
  showChanges,
  updatePlan,
  finish,
].map((tool) => tool as unknown as Tool);

/** Milliseconds that a call may take. */
const TIME = 30_000;
/** Those that wait for a child process, more than its limits on a busy machine and a second try. */
const TIMES: ReadonlyMap<string, number> = new Map([
  ['check_docs', 1_500_000],
  ['get_openapi_operation', 300_000],
  // New API descriptions are parsed in a child.
  ['write_file', 300_000],
  ['edit_file', 300_000],
  ['move_file', 300_000],
  // Limited by CPU time of their own.
  ['search', 300_000],
  ['replace_in_files', 300_000],
]);

/**
 * The description of the tools for a model; always the same order and words, so that providers can cache it.
 */
export function toolDefinitions(): ToolDefinition[] {
  return TOOLS.map((tool) => ({
    name: tool.name,
    description: tool.description,
    parameters: schemaOf(tool.parameters),
  }));
}

/**
 * Runs a tool on what a model sent. Mistakes of the model are returned as a result that states the correct
 * form; `invalid` if the call itself was wrong. Throws the reason of the context's signal when that is
 * aborted, and nothing else.
 */
export async function runTool(
  name: string,
  input: unknown,
  context: ToolContext,
): Promise<ToolOutput & { invalid: boolean }> {
  context.signal.throwIfAborted();
  const tool = TOOLS.find((one) => one.name === name);
  if (tool === undefined) {
    const names = TOOLS.map((one) => one.name).join(', ');
    return {
      ...clean(refuse(`Unknown tool ${JSON.stringify(name.slice(0, 80))}. The tools: ${names}.`)),
      invalid: true,
    };
  }
  const fitted = fitInput(tool.parameters, input);
  const parsed = tool.parameters.safeParse(fitted.value);
  if (!parsed.success) {
    const wrong = brokenText(tool, fitted.value) ?? wrongText(tool, parsed.error, fitted.value);
    return { ...clean(refuse(wrong)), invalid: true };
  }
  const time = TIMES.get(name) ?? TIME;
  const timer = AbortSignal.timeout(time);
  try {
    const signal = AbortSignal.any([context.signal, timer]);
    const output = await within(Promise.resolve(tool.run(parsed.data, bound(context, signal))), signal);
    const note =
      fitted.unknown.length === 0
        ? ''
        : `[Unknown parameters of ${name} were ignored: ${fitted.unknown.join(', ')}]\n`;
    return { ...clean({ ...output, text: note + output.text }), invalid: false };
  } catch (error) {
    context.signal.throwIfAborted();
    if (timer.aborted) {
      return {
        ...refuse(
          `${name} took over ${time / 1000} s and was stopped. ${TIMES.has(name) ? 'The server is busy: continue without it.' : 'Ask for less at once.'}`,
        ),
        invalid: false,
      };
    }
    return { ...clean(refuse(`${name} failed: ${reasonOf(error)}`)), invalid: false };
  }
}

/** The context with another signal; memory and workspace are those of the caller. */
function bound(context: ToolContext, signal: AbortSignal): ToolContext {
  return { ...context, signal };
}

/** The result of the tool, unless the signal comes first. */
async function within<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop!);
  }
}

function clean(output: ToolOutput): ToolOutput {
  return { ...output, text: storable(output.text) };
}

/** What is wrong with a call whose input is not JSON; null: it is. */
function brokenText({ name }: Tool, input: unknown): string | null {
  const fault = typeof input === 'string' ? jsonFault(input) : null;
  if (fault === null) return null;
  return `The input of ${name} cannot be read: ${fault}. Nothing was done. Send the whole call again as one JSON object, with quotes and line breaks in texts escaped; write long texts in several calls.`;
}

/** What is wrong with a call, and what the tool takes. */
function wrongText(tool: Tool, error: z.ZodError, input: unknown): string {
  const faults = error.issues.slice(0, 5).map((issue) => {
    return issue.path.length === 0 ? 'The input must be an object.' : faultOf([issue], 'body', input).message;
  });
  return [
    `Invalid parameters for ${tool.name}: ${faults.join(' ')}`,
    `Parameters: ${parametersText(tool)}`,
  ].join('\n');
}

function parametersText(tool: Tool): string {
  const schema = schemaOf(tool.parameters) as {
    properties?: Record<string, { type?: string; enum?: unknown[]; default?: unknown }>;
    required?: string[];
  };
  return Object.entries(schema.properties ?? {})
    .map(([key, property]) => {
      const type = property.enum?.map((one) => JSON.stringify(one)).join(' or ') ?? property.type ?? 'value';
      const need = schema.required?.includes(key)
        ? 'required'
        : property.default === undefined
          ? 'optional'
          : `default ${JSON.stringify(property.default)}`;
      return `${key} (${type}, ${need})`;
    })
    .join(', ');
}
