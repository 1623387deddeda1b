/**
 * The loop and a model server that fails in every way that servers do. A temporary error leaves no trace: the
 * journal of the turn equals that of a turn without errors.
 */
import { afterEach, describe, expect, test } from 'vitest';
import { knownBaseline } from '../../apps/server/src/agent/check/check-changes.ts';
import type { DocsCheck } from '../../apps/server/src/agent/check/docs-check.ts';
import { inspectTexts } from '../../apps/server/src/agent/check/inspect-texts.ts';
import { createMemoryJournal, type MemoryJournal } from '../../apps/server/src/agent/loop/memory-journal.ts';
import type { TurnResult } from '../../apps/server/src/agent/loop/open-turn.ts';
import { runTurn } from '../../apps/server/src/agent/loop/turn.ts';
import { toolDefinitions } from '../../apps/server/src/agent/tools/registry.ts';
import type { BaseTree } from '../../apps/server/src/agent/workspace/workspace.ts';
import { createModel } from '../../apps/server/src/platform/model/ai-sdk.ts';
import type { ModelTimeouts } from '../../apps/server/src/platform/model/endpoint.ts';
import type { ModelPort, ModelSettings } from '../../apps/server/src/platform/model/port.ts';
import { createGuardedFetch } from '../../apps/server/src/platform/net/guarded-fetch.ts';
import {
  type Answer,
  type Fault,
  type FaultRule,
  type ModelServer,
  type ScriptedRequest,
  startModelServer,
} from '../support/agent/model-server.ts';

const PROVIDERS = ['anthropic', 'openai', 'openai-compatible'] as const;
const MODELS = { anthropic: 'claude-sonnet-4-5', openai: 'gpt-5', 'openai-compatible': 'qwen3' };
const PAGE = '---\ntitle: Home\n---\n\nHello beta.\n';
const base: BaseTree = {
  entries: new Map(
    Object.entries({ 'docs.json': '{"name":"Acme"}\n', 'index.mdx': PAGE }).map(([path, text]) => {
      const content = Buffer.from(text);
      return [path, { path, kind: 'file', executable: false, bytes: content.byteLength, content }] as const;
    }),
  ),
};
const noFindings: DocsCheck = {
  check: async () => ({ status: 'checked', findings: [] }),
  parse: async () => ({ status: 'checked', findings: [] }),
  describeOperation: async () => ({ fault: 'none' }),
  inspect: async (question) => ({ status: 'inspected', ...inspectTexts(question) }),
};

/** Reads and searches at once, edits, finishes. */
const STEPS: Answer[] = [
  {
    reasoning: 'The page first.',
    text: 'I look.',
    calls: [
      { name: 'read_file', input: { path: 'index.mdx' } },
      { name: 'search', input: { query: 'beta' } },
    ],
  },
  { calls: [{ name: 'edit_file', input: { path: 'index.mdx', old_text: 'beta', new_text: 'preview' } }] },
  { calls: [{ name: 'finish', input: { title: 'Rename beta', summary: 'Renamed.' } }] },
];
const LAST_STEP = STEPS.length - 1;
const rename = ({ step }: ScriptedRequest): Answer => STEPS[step] ?? { text: 'Nothing left.' };

let servers: ModelServer[] = [];
afterEach(async () => {
  const closing = servers;
  servers = [];
  for (const server of closing) await server.close();
});

const fetch = createGuardedFetch({ policy: { allowPrivate: false, allowedHosts: ['127.0.0.1'] } });

interface Lab {
  server: ModelServer;
  journal: MemoryJournal;
  /** Every wait in place, milliseconds. */
  waits: number[];
  now(): number;
  /** A worker takes the turn up: nothing but the journal is known to it. `quick` are the times of a call that hangs. */
  work(quick?: ModelTimeouts): Promise<TurnResult>;
}

async function startLab(
  provider: ModelSettings['provider'],
  faults: readonly FaultRule[],
  script: (request: ScriptedRequest) => Answer = rename,
  toolMode: ModelSettings['toolMode'] = 'native',
): Promise<Lab> {
  const server = await startModelServer({ script, faults });
  servers.push(server);
  const settings: ModelSettings = {
    provider,
    model: MODELS[provider],
    baseUrl: server.url,
    apiKey: 'sk-test-0123456789',
    contextWindow: 200_000,
    maxOutput: 4_000,
    toolMode,
    effort: null,
    price: null,
  };
  const journal = createMemoryJournal();
  journal.begin('Rename beta to preview.');
  const waits: number[] = [];
  let now = Date.now();
  const failing = new Set(faults.map(({ step }) => step));
  const modelWith = (quick: ModelTimeouts | undefined): ModelPort => ({
    step(request) {
      const step = request.messages.filter(({ role }) => role === 'assistant').length;
      // Only the call that is to fail is short of time, or a slow machine would fail others.
      const isFailing = failing.delete(step);
      const timeouts = isFailing && quick !== undefined ? { timeouts: quick } : {};
      return createModel(settings, { fetch, ...timeouts }).step(request);
    },
  });
  return {
    server,
    journal,
    waits,
    now: () => now,
    work: (quick) =>
      runTurn({
        model: modelWith(quick),
        contextWindow: settings.contextWindow,
        maxOutput: settings.maxOutput,
        price: null,
        system: 'Rules.',
        tools: toolDefinitions(),
        base,
        baseline: knownBaseline([]),
        policy: { docsFolder: '', allow: [] },
        check: noFindings,
        limits: { steps: 80, minutes: 45, inputTokens: 3_000_000, outputTokens: 150_000, costUsd: 3 },
        journal,
        now: () => now,
        sleep: async (ms) => {
          waits.push(ms);
          now += ms;
        },
        signal: new AbortController().signal,
      }),
  };
}

/** What a journal holds, without when. */
const told = (journal: MemoryJournal) => {
  const { events, overlay, usage, memory, counters } = journal.state();
  return { events: events.map(({ at, ...event }) => event), overlay: [...overlay], usage, memory, counters };
};

const RENAMED = [['index.mdx', PAGE.replace('beta', 'preview')]];
const PATIENT = 60_000;
const QUICK: Partial<Record<Fault['kind'], ModelTimeouts>> = {
  hang: { firstByteMs: 400, idleMs: PATIENT, callMs: PATIENT },
  stall: { firstByteMs: PATIENT, idleMs: 60, callMs: PATIENT },
};

/** Temporary errors, and how long the loop waits before it retries. */
const PASSING: [Fault, number][] = [
  [{ kind: 'status', status: 429, retryAfter: '5' }, 5_000],
  [{ kind: 'status', status: 429 }, 2_000],
  [{ kind: 'status', status: 529 }, 2_000],
  [{ kind: 'status', status: 500 }, 2_000],
  [{ kind: 'error-event', code: 'overloaded_error' }, 2_000],
  [{ kind: 'hang' }, 2_000],
  [{ kind: 'stall' }, 2_000],
  [{ kind: 'reset' }, 2_000],
  [{ kind: 'cut' }, 2_000],
  [{ kind: 'empty' }, 2_000],
];

describe.each(PROVIDERS)('%s', (provider) => {
  test('a temporary error repeats the step and leaves no trace, at any step', async () => {
    const calm = await startLab(provider, []);
    expect(await calm.work()).toMatchObject({ kind: 'finished', outcome: { title: 'Rename beta' } });
    const expected = told(calm.journal);
    expect(expected.overlay).toEqual(RENAMED);
    for (const [fault, wait] of PASSING) {
      for (const step of [0, LAST_STEP - 1]) {
        const { work, journal, waits, server } = await startLab(provider, [{ step, fault }]);
        const result = await work(QUICK[fault.kind]);
        const name = `${JSON.stringify(fault)} at ${step}`;
        expect(result, name).toMatchObject({ kind: 'finished' });
        expect(told(journal), name).toEqual(expected);
        expect(waits, name).toEqual([wait]);
        // The step that failed was asked once more, with the same bytes, and no other.
        expect(server.requests.map(({ step: asked }) => asked).sort(), name).toEqual(
          [...[0, 1, 2], step].sort(),
        );
        const again = server.requests.filter(({ step: asked }) => asked === step).map(({ body }) => body);
        expect(again[1], name).toBe(again[0]);
      }
    }
  });

  test('errors at every step in a row result in the same journal', async () => {
    const calm = await startLab(provider, []);
    await calm.work();
    const { work, journal, waits } = await startLab(provider, [
      { step: 0, fault: { kind: 'status', status: 529 }, times: 2 },
      { step: 0, fault: { kind: 'reset' } },
      { step: 1, fault: { kind: 'cut' }, times: 3 },
      { step: 2, fault: { kind: 'empty' } },
    ]);
    expect(await work()).toMatchObject({ kind: 'finished' });
    expect(told(journal)).toEqual(told(calm.journal));
    expect(waits).toEqual([2_000, 8_000, 30_000, 2_000, 8_000, 30_000, 2_000]);
  });

  test('a server that asks for an hour parks the turn, and another worker continues it', async () => {
    const calm = await startLab(provider, []);
    await calm.work();
    const long: Fault = { kind: 'status', status: 429, retryAfter: '3600' };
    const { work, journal, waits, now, server } = await startLab(provider, [{ step: 1, fault: long }]);
    const parked = await work();
    expect(parked).toMatchObject({ kind: 'waiting', message: expect.stringContaining('429') });
    expect(parked.kind === 'waiting' && parked.until.getTime() - now()).toBe(3_600_000);
    expect(waits).toEqual([]);
    expect(await work()).toMatchObject({ kind: 'finished' });
    expect(told(journal)).toEqual(told(calm.journal));
    const [failed, repeated] = server.requests.filter(({ step }) => step === 1);
    expect(repeated?.body).toBe(failed?.body);
  });

  test.each([
    ['a refused key', { kind: 'status', status: 401 }, 'model_auth'],
    ['a refused request', { kind: 'status', status: 400, message: 'Unknown model.' }, 'model_unavailable'],
    ['a web page', { kind: 'page' }, 'model_unavailable'],
    ['an answer withheld', { kind: 'filtered' }, 'model_unavailable'],
    ['a prompt that is too long by itself', { kind: 'context-length' }, 'context_overflow'],
  ] as [string, Fault, string][])('%s fails the turn at once', async (_what, fault, code) => {
    const { work, server, waits } = await startLab(provider, [{ step: 0, fault, times: 99 }]);
    expect(await work()).toMatchObject({ kind: 'failed', code, message: expect.stringMatching(/\.$/) });
    expect(server.requests).toHaveLength(1);
    expect(waits).toEqual([]);
  });

  test('a server that stays unavailable fails the turn', async () => {
    const { work, server } = await startLab(provider, [
      { step: 1, fault: { kind: 'status', status: 503 }, times: 99 },
    ]);
    let result = await work();
    for (let worker = 0; result.kind === 'waiting' && worker < 20; worker += 1) result = await work();
    expect(result).toMatchObject({ kind: 'failed', code: 'model_unavailable' });
    expect(server.requests.filter(({ step }) => step === 1)).toHaveLength(10);
  });

  test('a call with invalid JSON or an unknown tool gets the error as its result, and the turn continues', async () => {
    for (const [kind, wrong] of [
      ['bad-json', /parameters|path|input/i],
      ['unknown-tool', /Unknown tool "run_shell"/],
    ] as const) {
      const { work, journal, server } = await startLab(
        provider,
        [{ step: 1, fault: { kind } }],
        ({ step }) => {
          return STEPS[step === 2 ? 1 : step === 3 ? 2 : step] ?? { text: 'Nothing left.' };
        },
      );
      expect(await work(), kind).toMatchObject({ kind: 'finished' });
      expect(server.requests[2]?.messages.at(-1)?.results.at(-1)?.text, kind).toMatch(wrong);
      expect(told(journal).overlay).toEqual(RENAMED);
    }
  });

  test('calls with duplicate ids stay separate, and each gets one result', async () => {
    const { work, journal, server } = await startLab(provider, [
      { step: 0, fault: { kind: 'duplicate-ids' } },
    ]);
    expect(await work()).toMatchObject({ kind: 'finished' });
    const [, assistant, tool] = server.requests[1]?.messages ?? [];
    const ids = assistant?.calls.map(({ id }) => id) ?? [];
    expect(new Set(ids).size).toBe(2);
    expect(tool?.results.map(({ id }) => id)).toEqual(ids);
    expect(tool?.results[0]?.text).toContain('Hello beta.');
    expect(told(journal).overlay).toEqual(RENAMED);
  });

  test('a server that does not report usage completes the turn as well', async () => {
    const { work, journal } = await startLab(provider, [
      { step: 0, fault: { kind: 'no-usage' } },
      { step: 1, fault: { kind: 'no-usage' } },
    ]);
    expect(await work()).toMatchObject({ kind: 'finished' });
    expect(told(journal).usage.calls).toBe(3);
  });

  test('the valid part of a response that was cut at its limit is kept', async () => {
    const { work, journal, server } = await startLab(provider, [{ step: 0, fault: { kind: 'length' } }]);
    expect(await work()).toMatchObject({ kind: 'finished' });
    // The last of two calls may be damaged: it was neither executed nor given a result.
    expect(server.requests[1]?.messages[1]?.calls.map(({ name }) => name)).toEqual(['read_file']);
    expect(told(journal).overlay).toEqual(RENAMED);
  });

  test('a conversation that is too long is summarized and continues', async () => {
    // Reads eight times, then edits and finishes; after the summary it counts what is left.
    const patient = ({ messages, step }: ScriptedRequest): Answer => {
      if (messages.at(-1)?.text.includes('ummar')) {
        return step < 8 ? { text: '## Goal\nRename beta.' } : (STEPS[1] as Answer);
      }
      const hasEdited = messages.some(({ calls }) => calls.some(({ name }) => name === 'edit_file'));
      if (hasEdited) return STEPS[2] as Answer;
      const begun = messages[0]?.text.includes('Earlier steps were removed. Summary:') === true;
      return begun || step >= 9
        ? (STEPS[1] as Answer)
        : { calls: [{ name: 'read_file', input: { path: 'index.mdx', start_line: step + 1 } }] };
    };
    const { work, journal } = await startLab(
      provider,
      [{ step: 8, fault: { kind: 'context-length' } }],
      patient,
    );
    expect(await work()).toMatchObject({ kind: 'finished' });
    expect(journal.state().events.filter(({ kind }) => kind === 'compaction')).toHaveLength(1);
    expect(told(journal).overlay).toEqual(RENAMED);
  });
});

test('a server without tool calls results in the same docs, with an error result for a malformed call in between', async () => {
  const block = (call: unknown) => ({ text: `Now.\n\`\`\`tool\n${JSON.stringify(call)}\n\`\`\`` });
  const calls = STEPS.flatMap((answer) => answer.calls ?? []);
  const said = [
    { text: '```tool\n{"name": "read_file", "input": {"path": "index.mdx"\n```' },
    ...calls.map(block),
  ];
  const { work, journal, server } = await startLab(
    'openai-compatible',
    [{ step: 2, fault: { kind: 'status', status: 529 } }],
    ({ step }) => said[step] ?? { text: 'Nothing left.' },
    'prompted',
  );
  expect(await work()).toMatchObject({ kind: 'finished', outcome: { title: 'Rename beta' } });
  expect(told(journal).overlay).toEqual(RENAMED);
  expect(
    server.requests.every(
      ({ tools, messages }) => tools.length === 0 && messages.every(({ role }) => role !== 'tool'),
    ),
  ).toBe(true);
  expect(server.requests[1]?.messages.at(-1)?.text).toMatch(/^<result tool="read_file" error="true">/);
  expect(server.requests[2]?.messages.at(-1)?.text).toContain('Hello beta.');
});
