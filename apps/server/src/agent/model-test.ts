import type { AgentModelTest } from '@offprint/contract';
import { AppError } from '../platform/http/error.ts';
import { createRateLimiter } from '../platform/http/rate-limit.ts';
import { createModel } from '../platform/model/ai-sdk.ts';
import {
  ModelError,
  type ModelSettings,
  type StepResult,
  type ToolDefinition,
} from '../platform/model/port.ts';
import { hostOf } from './settings.ts';

/** Shorter than those of a job: a person waits for the result. */
const TIMEOUTS = { firstByteMs: 60_000, idleMs: 30_000, callMs: 90_000 };
/** Enough for models that think before they call. */
const MAX_OUTPUT = 2_000;
/** Tests of one process at a time. */
const PARALLEL = 8;
/** Tests of one organization: the operator may pay for the tokens. */
const PER_MINUTE = 5;

const TOOL: ToolDefinition = {
  name: 'report_color',
  description: 'Reports a color.',
  parameters: {
    type: 'object',
    properties: { color: { type: 'string', description: 'Name of the color.' } },
    required: ['color'],
    additionalProperties: false,
  },
};

/** Sends one small request to a model, with a tool that it is asked to call. */
export async function testModel(
  settings: ModelSettings,
  options: { fetch: typeof fetch; signal: AbortSignal },
): Promise<AgentModelTest> {
  const started = performance.now();
  const result = await stepOf(settings, options).catch((error: unknown) => {
    options.signal.throwIfAborted();
    if (error instanceof ModelError) return error;
    throw error;
  });
  const milliseconds = Math.round(performance.now() - started);
  const common = { model: settings.model, host: hostOf(settings), milliseconds };
  if (result instanceof ModelError)
    return { ...common, outcome: 'failed', message: result.message, inputTokens: null, outputTokens: null };
  const { input, output } = result.usage;
  return {
    ...common,
    ...judge(result, settings, milliseconds),
    inputTokens: input === 0 ? null : input,
    outputTokens: output === 0 ? null : output,
  };
}

async function stepOf(
  settings: ModelSettings,
  { fetch, signal }: { fetch: typeof globalThis.fetch; signal: AbortSignal },
): Promise<StepResult> {
  return createModel(settings, { fetch, timeouts: TIMEOUTS }).step({
    system: 'This is a test of the connection. Call the tool that the user names, and write nothing else.',
    messages: [{ role: 'user', text: `Call the tool ${TOOL.name} with the color "blue".` }],
    tools: [TOOL],
    maxOutputTokens: Math.min(MAX_OUTPUT, settings.maxOutput),
    signal,
  });
}

function judge(
  { parts, finish }: StepResult,
  { toolMode }: ModelSettings,
  milliseconds: number,
): Pick<AgentModelTest, 'outcome' | 'message'> {
  const seconds = (milliseconds / 1000).toFixed(1);
  const call = parts.find((part) => part.type === 'tool-call');
  if (call?.name === TOOL.name)
    return { outcome: 'passed', message: `The model responded in ${seconds} s and called a tool.` };
  const responded = `The model responded in ${seconds} s, but`;
  if (call !== undefined) {
    const name = call.name.slice(0, 100);
    return { outcome: 'failed', message: `${responded} called an unknown tool (${name}).` };
  }
  if (finish === 'length') {
    const message = `${responded} its response was cut off before it called a tool. Increase the maximum output.`;
    return { outcome: 'failed', message };
  }
  const advice =
    toolMode === 'native'
      ? 'If the server does not support tool calls, set the tool mode to "prompted".'
      : 'Use a model that follows such instructions.';
  return {
    outcome: 'failed',
    message: `${responded} did not call the tool. Agent jobs need this. ${advice}`,
  };
}

/** Limits tests: each one uses a connection and tokens. */
export function createTestSlots(): <Result>(
  organizationId: string,
  run: () => Promise<Result>,
) => Promise<Result> {
  const running = new Set<string>();
  const perOrganization = createRateLimiter(PER_MINUTE);
  return async (organizationId, run) => {
    if (running.has(organizationId)) throw busy('A model test of the organization is already running.', 10);
    if (running.size >= PARALLEL) throw busy('The server is running other model tests.', 10);
    const wait = perOrganization.take(organizationId);
    if (wait > 0) throw busy(`At most ${PER_MINUTE} model tests can run per minute.`, wait);
    running.add(organizationId);
    try {
      return await run();
    } finally {
      running.delete(organizationId);
    }
  };
}

const busy = (why: string, seconds: number): AppError =>
  new AppError('rate_limited', `${why} Try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  });
