/** A scripted model: it calls tools and reads their results, behind the same port as a real one. */
import type { LocalModel, ModelPort } from '@offprint/server/agent-local';

export interface Called {
  name: string;
  input: Record<string, unknown>;
}

export interface Answered {
  name: string;
  output: string;
  isError: boolean;
}

/** Yields the calls of a step and receives their results, or yields a text, which ends the turn. */
export type Script = Generator<Called[] | string, void, Answered[]>;

/** One call that must succeed: a refusal is an error of the script. */
export function* call(name: string, input: Record<string, unknown>): Generator<Called[], string, Answered[]> {
  const [answer] = yield [{ name, input }];
  if (answer === undefined || answer.isError)
    throw new Error(`${name} ${JSON.stringify(input).slice(0, 200)}: ${answer?.output}`);
  return answer.output;
}

/** One call that may be refused. */
export function* attempt(
  name: string,
  input: Record<string, unknown>,
): Generator<Called[], string, Answered[]> {
  const [answer] = yield [{ name, input }];
  return answer?.output ?? '';
}

export function* finish(title: string, summary: string): Generator<Called[], string, Answered[]> {
  return yield* call('finish', { title, summary });
}

/** Once a script has ended it says only that it is done. */
export function scriptedModel(script: Script, name: string): LocalModel {
  let begun = false;
  let ids = 0;
  const port: ModelPort = {
    async step({ messages }) {
      const last = messages.findLast(({ role }) => role === 'tool');
      const results = last?.role === 'tool' ? last.results : [];
      const next = begun
        ? script.next(results.map(({ name, output, isError }) => ({ name, output, isError })))
        : script.next();
      begun = true;
      const said = next.done === true ? 'That is all.' : next.value;
      const usage = { input: 1000, output: 50, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
      if (typeof said === 'string') return { parts: [{ type: 'text', text: said }], finish: 'stop', usage };
      return {
        parts: said.map(({ name, input }) => ({ type: 'tool-call', id: `call_${++ids}`, name, input })),
        finish: 'tool-calls',
        usage,
      };
    },
  };
  return {
    port,
    name,
    contextWindow: 200_000,
    maxOutput: 16_000,
    secrets: [],
    price: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
    limits: { steps: 80, minutes: 10, inputTokens: 3_000_000, outputTokens: 150_000, costUsd: 3 },
  };
}
