import { describe, expect, test } from 'vitest';
import {
  type AssistantPart,
  type Finish,
  ModelError,
  type ModelMessage,
  type ModelPort,
  type StepRequest,
} from '../../platform/model/port.ts';
import { NetworkError } from '../../platform/net/error.ts';
import { knownBaseline } from '../check/check-changes.ts';
import type { DocsCheck, Finding } from '../check/docs-check.ts';
import { inspectTexts } from '../check/inspect-texts.ts';
import type { TurnOutcome } from '../record.ts';
import { toolDefinitions } from '../tools/registry.ts';
import type { BaseTree } from '../workspace/workspace.ts';
import type { Journal } from './journal.ts';
import { createMemoryJournal, type MemoryJournal } from './memory-journal.ts';
import type { TurnRequest, TurnResult } from './open-turn.ts';
import { runTurn } from './turn.ts';

const DOCS = {
  'docs.json': '{"name":"Acme","navigation":{"pages":["index","more"]}}\n',
  'index.mdx': '---\ntitle: Home\n---\n\nHello beta.\n',
  'more.mdx': '---\ntitle: More\n---\n\nMore.\n',
};

function treeOf(files: Record<string, string>): BaseTree {
  const entries = Object.entries(files).map(([path, text]) => {
    const content = Buffer.from(text);
    return [path, { path, kind: 'file', executable: false, bytes: content.byteLength, content }] as const;
  });
  return { entries: new Map(entries) };
}

interface Said {
  text?: string;
  calls?: [name: string, input: unknown][];
  finish?: Finish;
  input?: number;
}

/**
 * The response of the model to a conversation with the given number of its responses; throws what it is given
 * to throw.
 */
type Script = (step: number, messages: readonly ModelMessage[], request: StepRequest) => Said | ModelError;

interface ScriptedModel extends ModelPort {
  requests: StepRequest[];
}

function scripted(script: Script): ScriptedModel {
  const requests: StepRequest[] = [];
  return {
    requests,
    async step(request) {
      request.signal.throwIfAborted();
      requests.push(request);
      const step = request.messages.filter(({ role }) => role === 'assistant').length;
      const said = script(step, request.messages, request);
      if (said instanceof ModelError) throw said;
      const parts: AssistantPart[] = [
        ...(said.text === undefined ? [] : [{ type: 'text' as const, text: said.text }]),
        ...(said.calls ?? []).map(([name, input], index) => ({
          type: 'tool-call' as const,
          id: `call_${step}_${index}`,
          name,
          input,
        })),
      ];
      return {
        parts,
        finish: said.finish ?? (said.calls === undefined ? 'stop' : 'tool-calls'),
        usage: { input: said.input ?? 100, output: 10, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
      };
    },
  };
}

/** A check whose findings follow from the texts: `BROKEN` is an error. */
const check: DocsCheck = {
  async check(workspace) {
    const findings = workspace
      .list()
      .filter(({ path }) => workspace.read(path)?.includes('BROKEN'))
      .map(({ path }): Finding => {
        return {
          file: path,
          line: 1,
          code: 'broken-link',
          message: 'BROKEN leads nowhere.',
          severity: 'error',
        };
      });
    return { status: 'checked', findings };
  },
  parse: async () => ({ status: 'checked', findings: [] }),
  describeOperation: async () => ({ fault: 'none' }),
  inspect: async (question) => ({ status: 'inspected', ...inspectTexts(question) }),
};

interface Lab {
  journal: MemoryJournal;
  waits: number[];
  run(change?: Partial<TurnRequest>): Promise<TurnResult>;
}

function lab(model: ModelPort, prompt = 'Rename beta to preview'): Lab {
  const journal = createMemoryJournal();
  journal.begin(prompt);
  const waits: number[] = [];
  let now = Date.now();
  return {
    journal,
    waits,
    run: (change = {}) =>
      runTurn({
        model,
        contextWindow: 200_000,
        maxOutput: 4_000,
        price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
        system: 'Rules.',
        tools: toolDefinitions(),
        base: treeOf(DOCS),
        baseline: knownBaseline([]),
        policy: { docsFolder: '', allow: [] },
        check,
        limits: { steps: 80, minutes: 45, inputTokens: 3_000_000, outputTokens: 150_000, costUsd: 3 },
        journal,
        now: () => now,
        sleep: async (ms) => {
          waits.push(ms);
          now += ms;
        },
        signal: new AbortController().signal,
        ...change,
      }),
  };
}

const EDIT: Said = {
  calls: [['edit_file', { path: 'index.mdx', old_text: 'Hello beta.', new_text: 'Hello preview.' }]],
};
const FINISH: Said = { calls: [['finish', { title: 'Rename beta', summary: 'Renamed beta to preview.' }]] };

const edits: Script = (step) => [EDIT, FINISH][step] ?? { text: 'Nothing left.' };

const outcomeOf = (result: TurnResult): TurnOutcome => {
  if (result.kind !== 'finished') throw new Error(`the turn ended as ${JSON.stringify(result)}`);
  return result.outcome;
};

describe('a turn', () => {
  test('that changes a file ends with its change, its title and clean checks', async () => {
    const { run, journal } = lab(scripted(edits));
    const result = await run();
    expect(result).toMatchObject({
      kind: 'finished',
      outcome: { title: 'Rename beta', summary: 'Renamed beta to preview.', stopped: null },
      changes: [{ path: 'index.mdx', kind: 'modified', after: DOCS['index.mdx'].replace('beta', 'preview') }],
      checks: { new: 0, fixed: 0 },
    });
    expect(journal.state().usage).toMatchObject({ calls: 2, input: 200, output: 20 });
    expect(journal.state().usage.costUsd).toBeCloseTo((200 * 3 + 20 * 15) / 1e6);
  });

  test('that was interrupted after its check is published by another worker without a second one', async () => {
    const { run, journal } = lab(scripted(edits));
    let checks = 0;
    const counted: DocsCheck = {
      ...check,
      check(...args) {
        checks += 1;
        return check.check(...args);
      },
    };
    const first = await run({ check: counted, basis: 'base' });
    expect(checks).toBe(1);
    const before = journal.state().events.length;
    expect(await run({ check: counted, basis: 'base' })).toEqual(first);
    expect(checks).toBe(1);
    expect(journal.state().events).toHaveLength(before);
    await run({ check: counted, basis: 'another base' });
    expect(checks).toBe(2);
  });

  test('whose check or base check had no result is checked again by the next worker', async () => {
    const { run } = lab(scripted(edits));
    const died = async () => ({ status: 'not_checked', reason: 'the process was stopped.' }) as const;
    expect(await run({ check: { ...check, check: died } })).toMatchObject({
      checks: { status: 'not_checked' },
    });
    expect(await run({ baseline: died })).toMatchObject({ checks: { status: 'not_checked' } });
    expect(await run()).toMatchObject({ checks: { status: 'checked' } });
  });

  test('that answers a question ends without a change', async () => {
    const result = await lab(scripted(() => ({ text: 'It is on the home page.' }))).run();
    expect(result).toMatchObject({
      kind: 'finished',
      changes: [],
      outcome: { summary: 'It is on the home page.' },
    });
  });

  test('reports new findings to the model twice and then hands them on', async () => {
    const bad: Said = { calls: [['edit_file', { path: 'index.mdx', old_text: 'beta', new_text: 'BROKEN' }]] };
    const model = scripted((step) => (step === 0 ? bad : { text: `Done ${step}.` }));
    const result = await lab(model).run();
    expect(result).toMatchObject({
      kind: 'finished',
      blocking: [{ file: 'index.mdx', code: 'broken-link' }],
    });
    const nudges = model.requests
      .at(-1)
      ?.messages.filter(
        (message) => message.role === 'user' && message.text.includes('index.mdx:1 broken-link'),
      );
    expect(nudges).toHaveLength(2);
  });

  test('reports to the model what may not be published before publishing', async () => {
    const model = scripted((step) => (step === 0 ? EDIT : FINISH));
    const result = await lab(model).run({
      review: async () => ({ refused: [{ path: '', text: 'index.mdx holds a secret.' }], held: [] }),
    });
    expect(result.kind).toBe('finished');
    expect(JSON.stringify(model.requests[2]?.messages)).toContain('index.mdx holds a secret.');
    expect(model.requests).toHaveLength(4);
  });

  test('leaves a rejected file out and publishes the others, and names every rejection first', async () => {
    const add: Said = { calls: [['write_file', { path: 'bad.mdx', content: '# Bad\n', mode: 'create' }]] };
    const model = scripted((step) => (step === 0 ? EDIT : step === 1 ? add : FINISH));
    const result = await lab(model).run({
      review: async (now) => ({
        refused: now.changes().some(({ path }) => path === 'bad.mdx')
          ? [{ path: 'bad.mdx', text: '`bad.mdx`: holds a secret' }]
          : [],
        held: [],
      }),
    });
    expect(result).toMatchObject({
      kind: 'finished',
      refused: [],
      changes: [{ path: 'index.mdx' }],
      outcome: { leftOut: [expect.stringContaining('`bad.mdx`: holds a secret')] },
    });
  });

  test('asks once about a change that is claimed and was not made', async () => {
    const claim: Said = { text: 'I have updated the docs, everything is fixed!' };
    const model = scripted(() => claim);
    const result = await lab(model).run();
    expect(result).toMatchObject({ kind: 'finished', changes: [] });
    expect(model.requests).toHaveLength(2);
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('No file was changed in this turn.');
    for (const text of [
      'The limit is ten requests a second.',
      'openapi.json has no such operation, so I changed nothing.',
      'No pages have been changed.',
      'The page says 10 already; nothing in it has been updated.',
    ]) {
      const answer = scripted(() => ({ text }));
      await lab(answer).run();
      expect(answer.requests, text).toHaveLength(1);
    }
  });

  test('leaves findings of the base alone', async () => {
    const known = await check.check(
      { list: () => [{ path: 'index.mdx' }], read: () => 'BROKEN' } as never,
      new AbortController().signal,
    );
    const bad: Said = { calls: [['edit_file', { path: 'index.mdx', old_text: 'beta', new_text: 'BROKEN' }]] };
    const model = scripted((step) => (step === 0 ? bad : FINISH));
    const result = await lab(model).run({ baseline: async () => known });
    expect(result).toMatchObject({ kind: 'finished', blocking: [], checks: { new: 0 } });
    expect(model.requests).toHaveLength(2);
  });

  test('publishes what could not be checked, and says nothing of it to the model', async () => {
    const model = scripted((step) => (step === 0 ? EDIT : FINISH));
    const work = lab(model);
    const reason = 'the server is busy, or the check hangs.';
    const busy: DocsCheck = { ...check, check: async () => ({ status: 'not_checked', reason }) };
    expect(await work.run({ check: busy })).toMatchObject({
      kind: 'finished',
      blocking: [],
      checks: { status: 'not_checked', reason, new: 0, fixed: 0 },
    });
    expect(model.requests).toHaveLength(2);
    const { events } = work.journal.state();
    expect(events.filter(({ kind }) => kind === 'notice')).toEqual([]);
    expect(events.at(-1)).toMatchObject({ kind: 'state', message: `The docs were not checked: ${reason}` });
  });

  test('names a check without a result to the model together with what was refused', async () => {
    const model = scripted((step) => (step === 0 ? EDIT : FINISH));
    const work = lab(model);
    const busy: DocsCheck = { ...check, check: async () => ({ status: 'not_checked', reason: 'no time.' }) };
    await work.run({
      check: busy,
      review: async () => ({ held: [], refused: [{ path: 'a.mdx', text: '`a.mdx`: has a secret' }] }),
    });
    const told = work.journal.state().events.flatMap((event) => (event.kind === 'notice' ? event.text : []));
    expect(told[0]).toBe('The docs were not checked: no time.');
    expect(told[1]).toContain('has a secret');
  });

  test('reads and checks the base only when a tool or the end of the turn needs it', async () => {
    const seen: string[] = [];
    const counting = {
      loadBase: async () => {
        seen.push('load');
      },
      baseline: async () => {
        seen.push('check');
        return { status: 'checked' as const, findings: [] };
      },
    };
    const answer = scripted(() => {
      seen.push('model');
      return { text: 'The limit is ten requests a second.' };
    });
    await lab(answer).run(counting);
    expect(seen.splice(0)).toEqual(['model']);
    const model = scripted((step) => {
      seen.push('model');
      return step === 0 ? EDIT : FINISH;
    });
    const result = await lab(model).run(counting);
    expect(result).toMatchObject({ kind: 'finished', checks: { status: 'checked', new: 0 } });
    expect(seen).toEqual(['model', 'load', 'model', 'load', 'check']);
  });

  test('gives the calls of one message ids of their own', async () => {
    const journal = createMemoryJournal();
    journal.begin('x');
    const model: ModelPort = {
      async step({ messages }) {
        const isFirst = messages.length === 1;
        const call = (path: string): AssistantPart => ({
          type: 'tool-call',
          id: 'same',
          name: 'read_file',
          input: { path },
        });
        return {
          parts: isFirst ? [call('index.mdx'), call('more.mdx')] : [{ type: 'text', text: 'Done.' }],
          finish: isFirst ? 'tool-calls' : 'stop',
          usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
        };
      },
    };
    await lab(model).run({ journal });
    const results = journal.state().events.find(({ kind }) => kind === 'results');
    if (results?.kind !== 'results') throw new Error('no results');
    expect(new Set(results.results.map(({ id }) => id)).size).toBe(2);
    expect(results.results[1]?.output).toContain('More.');
  });

  test('ends with the reason of the signal', async () => {
    const stop = new AbortController();
    const model = scripted((step) => {
      if (step === 1) stop.abort('cancelled');
      return EDIT;
    });
    await expect(lab(model).run({ signal: stop.signal })).rejects.toBe('cancelled');
  });
});

describe('follow-ups', () => {
  /** A journal to which a message arrives before the step of this number, or at the end. */
  function withMessage(journal: MemoryJournal, arrives: (events: number) => boolean): Journal {
    let isPending = true;
    return {
      ...journal,
      async takeMessages() {
        if (!isPending || !arrives(journal.state().events.length)) return [];
        isPending = false;
        return journal.save({ events: [{ kind: 'prompt', text: 'And more.mdx too.' }] });
      },
    };
  }

  test('reach the model at its next step, after the results of the step before', async () => {
    const model = scripted(edits);
    const { run, journal } = lab(model);
    await run({ journal: withMessage(journal, (events) => events >= 3) });
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
    ]);
  });

  test('that come when the model has finished keep the turn going', async () => {
    const model = scripted((step) =>
      step < 2 ? edits(step, [], {} as StepRequest) : step === 2 ? FINISH : { text: 'x' },
    );
    const { run, journal } = lab(model);
    const result = await run({ journal: withMessage(journal, (events) => events >= 5) });
    expect(model.requests).toHaveLength(3);
    expect(result.kind).toBe('finished');
  });
});

describe('limits', () => {
  test('a turn without an end stops at its steps: as a draft when there are clean changes', async () => {
    const model = scripted((step) =>
      step === 0 ? EDIT : { calls: [['search', { query: `word ${step}` }]] },
    );
    const limits = { steps: 5, minutes: 45, inputTokens: 1e9, outputTokens: 1e9, costUsd: 1e9 };
    const result = await lab(model).run({ limits });
    expect(outcomeOf(result)).toMatchObject({ stopped: { code: 'budget' }, title: 'Rename beta to preview' });
    expect(model.requests).toHaveLength(5);
  });

  test('as failed when there is nothing to publish, or it is broken', async () => {
    const limits = { steps: 3, minutes: 45, inputTokens: 1e9, outputTokens: 1e9, costUsd: 1e9 };
    const idle = scripted((step) => ({ calls: [['search', { query: `word ${step}` }]] }));
    expect(await lab(idle).run({ limits })).toMatchObject({ kind: 'failed', code: 'budget' });
    const breaks = scripted((step) =>
      step === 0
        ? { calls: [['edit_file', { path: 'index.mdx', old_text: 'beta', new_text: 'BROKEN' }]] }
        : { calls: [['search', { query: `word ${step}` }]] },
    );
    expect(await lab(breaks).run({ limits })).toMatchObject({ kind: 'failed', code: 'budget' });
  });

  test('a turn stops at its time and at its cost', async () => {
    const model = scripted((step) => ({ calls: [['search', { query: `word ${step}` }]], input: 400_000 }));
    const limits = { steps: 80, minutes: 45, inputTokens: 1e9, outputTokens: 1e9, costUsd: 3 };
    expect(await lab(model).run({ limits })).toMatchObject({ kind: 'failed', code: 'budget' });
    expect(model.requests).toHaveLength(3);
    const late = await lab(model).run({ limits, now: () => Date.now() + 46 * 60_000 });
    expect(late).toMatchObject({ kind: 'failed', code: 'timeout' });
  });

  test('going in circles is reported once and then ends the turn', async () => {
    const model = scripted(() => ({ calls: [['read_file', { path: 'more.mdx' }]] }));
    expect(await lab(model).run()).toMatchObject({ kind: 'failed', code: 'stuck' });
    expect(model.requests.length).toBeLessThanOrEqual(7);
    const told = model.requests
      .at(-1)
      ?.messages.some((message) => message.role === 'user' && message.text.includes('Try another approach'));
    expect(told).toBe(true);
  });

  test('calls that no tool takes end the turn after four in a row', async () => {
    const model = scripted((step) => ({ calls: [[`tool_${step}`, { anything: step }]] }));
    expect(await lab(model).run()).toMatchObject({ kind: 'failed', code: 'stuck' });
    expect(model.requests).toHaveLength(4);
  });
});

describe('a model that cannot respond', () => {
  const after = (fault: ModelError, times: number): Script => {
    let left = times;
    return (step, messages, request) => (left-- > 0 ? fault : edits(step, messages, request));
  };

  test('is asked again after 2, 8 and 30 seconds, and nothing of a cut step is kept', async () => {
    const { run, waits, journal } = lab(scripted(after(new ModelError('cut', 'cut'), 3)));
    expect((await run()).kind).toBe('finished');
    expect(waits).toEqual([2_000, 8_000, 30_000]);
    expect(journal.state().events.map(({ kind }) => kind)).toEqual([
      'prompt',
      'assistant',
      'results',
      'assistant',
      'results',
    ]);
    expect(journal.state().counters).toMatchObject({ retries: 0, failingSince: null });
  });

  test('is waited for as long as it asks, up to a minute', async () => {
    const fault = new ModelError('rate-limited', 'slow down', { retryAfterMs: 45_000 });
    const told: [string, number][] = [];
    const onRetry = (message: string, ms: number) => void told.push([message, ms]);
    const { run, waits } = lab(scripted(after(fault, 1)));
    expect((await run({ onRetry })).kind).toBe('finished');
    expect(waits).toEqual([45_000]);
    expect(told).toEqual([['slow down', 45_000]]);
  });

  test('that asks for longer parks the turn', async () => {
    const fault = new ModelError('rate-limited', 'slow down', { retryAfterMs: 120_000 });
    const { run, waits } = lab(scripted(after(fault, 1)));
    const start = Date.now();
    const result = await run();
    if (result.kind !== 'waiting') throw new Error(result.kind);
    expect(result.until.getTime()).toBeGreaterThanOrEqual(start + 120_000);
    expect(waits).toEqual([]);
    // When resumed, it continues as if nothing had happened.
    expect((await run()).kind).toBe('finished');
  });

  test('is abandoned after ten attempts', async () => {
    const model = scripted(() => new ModelError('overloaded', 'The endpoint is overloaded.'));
    const { run } = lab(model);
    let result = await run();
    while (result.kind === 'waiting') result = await run();
    expect(result).toMatchObject({ kind: 'failed', code: 'model_unavailable' });
    expect(model.requests).toHaveLength(10);
  });

  const refused = () =>
    new ModelError('unavailable', 'connection refused', {
      cause: new NetworkError('unreachable', 'connection refused'),
    });

  test('and that never responded fails after the given number of connections', async () => {
    const model = scripted(refused);
    const { run, waits } = lab(model);
    expect(await run({ firstConnections: 3 })).toEqual({
      kind: 'failed',
      code: 'model_unavailable',
      message: 'connection refused The request failed 3 times in 10 seconds.',
      isTemporary: true,
    });
    expect(waits).toEqual([2_000, 8_000]);
  });

  test('and that has responded before is asked as often as without that number', async () => {
    const model = scripted((step, messages, request) =>
      step === 0 ? edits(step, messages, request) : refused(),
    );
    const { run } = lab(model);
    let result = await run({ firstConnections: 3 });
    while (result.kind === 'waiting') result = await run({ firstConnections: 3 });
    expect(result).toMatchObject({ kind: 'failed', code: 'model_unavailable' });
    expect(model.requests).toHaveLength(11);
  });

  test.each([
    ['auth', 'model_auth'],
    ['invalid', 'model_unavailable'],
  ] as const)('with the error %s fails at once as %s', async (fault, code) => {
    const model = scripted(() => new ModelError(fault, 'No.'));
    expect(await lab(model).run()).toMatchObject({ kind: 'failed', code, message: 'No.' });
    expect(model.requests).toHaveLength(1);
  });

  test('returns an empty response is asked again', async () => {
    let isFirst = true;
    const model = scripted((step, messages, request) => {
      if (!isFirst) return edits(step, messages, request);
      isFirst = false;
      return {};
    });
    expect((await lab(model).run()).kind).toBe('finished');
    expect(model.requests).toHaveLength(3);
  });

  test('whose response is cut at the output limit is informed and continues', async () => {
    const model = scripted((step) =>
      step === 0 ? { text: 'Once upon', finish: 'length' } : { text: 'Done.' },
    );
    expect(outcomeOf(await lab(model).run()).summary).toBe('Done.');
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      text: expect.stringContaining('smaller steps'),
    });
  });
});

describe('the context window', () => {
  const long = 'word '.repeat(4_000);

  test('that is full is emptied by a summary, and the turn continues', async () => {
    const model = scripted((_step, messages) => {
      const last = messages.at(-1);
      if (last?.role === 'user' && last.text.includes('Write a summary')) return { text: '## Goal\nRename.' };
      if (messages.some((message) => message.role === 'user' && message.text.includes('## Goal\nRename.')))
        return FINISH;
      return { text: long, calls: [['search', { query: `x${messages.length}` }]] };
    });
    const { run, journal } = lab(model);
    expect((await run({ contextWindow: 40_000 })).kind).toBe('finished');
    expect(journal.state().events.filter(({ kind }) => kind === 'compaction')).toHaveLength(1);
  });

  test('that the provider says is full is emptied too, and a summary that does not help ends the turn by name', async () => {
    const model = scripted((step, messages) => {
      const last = messages.at(-1);
      if (last?.role === 'user' && last.text.includes('Write a summary')) return { text: '## Goal\nRename.' };
      return step < 8
        ? { calls: [['search', { query: `x${messages.length}` }]] }
        : new ModelError('context-overflow', 'too long');
    });
    const result = await lab(model).run();
    expect(result).toMatchObject({ kind: 'failed', code: 'context_overflow' });
    expect(model.requests.length).toBeLessThan(40);
  });

  test('that instructions fill is refused before the first call', async () => {
    const model = scripted(edits);
    const result = await lab(model).run({ contextWindow: 8_000 });
    expect(result).toMatchObject({ kind: 'failed', code: 'context_overflow' });
    expect(model.requests).toHaveLength(0);
  });
});

describe('a crash', () => {
  class Crash extends Error {}

  /** Dies at the save or call of this number, before or after it took effect. */
  function dying(journal: Journal, at: number, when: 'before' | 'after'): Journal {
    let count = 0;
    const guard = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      count += 1;
      if (count === at && when === 'before') throw new Crash();
      const result = await work();
      if (count === at) throw new Crash();
      return result;
    };
    return {
      load: () => journal.load(),
      save: (entry) => guard(() => journal.save(entry)),
      takeMessages: () => journal.takeMessages(),
      beginCall: () => guard(() => journal.beginCall()),
    };
  }

  const script: Script = (step) =>
    [
      { calls: [['read_file', { path: 'index.mdx' }]] } satisfies Said,
      EDIT,
      {
        calls: [
          ['write_file', { path: 'new.mdx', content: '---\ntitle: New\n---\n\nNew.\n', mode: 'create' }],
          ['update_plan', { items: [{ id: '1', text: 'Rename', status: 'completed' }] }],
        ],
      } satisfies Said,
      FINISH,
    ][step] ?? { text: 'Nothing left.' };

  test('at any pair of moments changes nothing but the number of calls', async () => {
    const calm = lab(scripted(script));
    const expected = await calm.run();
    const least = 4;
    let schedules = 0;
    for (let first = 1; first <= 10; first += 1) {
      for (let second = 1; second <= 10; second += 1) {
        for (const when of ['before', 'after'] as const) {
          const model = scripted(script);
          const { run, journal } = lab(model);
          let crashes = 0;
          for (const at of [first, second]) {
            const result = await run({ journal: dying(journal, at, when) }).catch((error: unknown) => {
              if (!(error instanceof Crash)) throw error;
              crashes += 1;
              return null;
            });
            if (result !== null) break;
          }
          expect(await run()).toEqual(expected);
          expect(model.requests.length).toBeLessThanOrEqual(least + crashes);
          expect(journal.state().events.map(({ kind }) => kind)).toEqual(
            calm.journal.state().events.map(({ kind }) => kind),
          );
          schedules += 1;
        }
      }
    }
    expect(schedules).toBe(200);
  });
});
