import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyText, toolBench } from '../../../../../test/support/tool-context.ts';
import { globFilter } from './glob.ts';
import { TOOLS, toolDefinitions } from './registry.ts';

describe('definitions', () => {
  test('are the same every time, and short enough for small windows', () => {
    expect(JSON.stringify(toolDefinitions())).toBe(JSON.stringify(toolDefinitions()));
    // Four characters a token is what English and JSON come to; 2,500 tokens is the most.
    expect(JSON.stringify(toolDefinitions()).length / 4).toBeLessThan(2500);
    expect(new Set(TOOLS.map(({ name }) => name)).size).toBe(TOOLS.length);
  });

  test('are objects of flat parameters, of which those with a default may be left out', () => {
    for (const { name, parameters } of toolDefinitions()) {
      expect(parameters.type, name).toBe('object');
      expect(parameters, name).not.toHaveProperty('$schema');
      expect(JSON.stringify(parameters), name).not.toContain('9007199254740991');
    }
    const edit = toolDefinitions().find(({ name }) => name === 'edit_file')!;
    expect(edit.parameters.required).toEqual(['path', 'old_text', 'new_text']);
  });
});

describe('calls', () => {
  const files = { 'a.mdx': 'one\ntwo\nthree\n' };

  test.each([
    ['numbers as text', { path: 'a.mdx', start_line: '2', max_lines: ' 1 ' }],
    ['JSON as text', '{"path": "a.mdx", "start_line": 2, "max_lines": 1}'],
    ['other spelling', { path: 'a.mdx', startLine: 2, maxLines: 1 }],
  ])('%s are taken', async (_name, input) => {
    expect(await toolBench(files).text('read_file', input)).toContain('lines 2-2 of 3');
  });

  test('null for what is optional is nothing', async () => {
    expect(await toolBench(files).text('list_files', { path: null, glob: null, limit: null })).toContain(
      '1 file',
    );
    expect(await toolBench(files).text('show_changes', null)).toBe('No changes.');
  });

  test('lists as text are taken, and truth as text', async () => {
    const { text, context } = toolBench(files);
    await text('update_plan', { items: '[{"id": 1, "text": "a", "status": "pending"}]' });
    expect(context.memory.plan).toEqual([{ id: '1', text: 'a', status: 'pending' }]);
    await text('replace_in_files', { find: 'two', replace: '2', dry_run: 'false' });
    expect(context.workspace.read('a.mdx')).toBe('one\n2\nthree\n');
  });

  test('an unknown parameter is ignored and named in the result', async () => {
    expect(await toolBench(files).text('read_file', { path: 'a.mdx', why: 'x' })).toMatch(
      /^\[Unknown parameters of read_file were ignored: "why"\]\na\.mdx lines/,
    );
  });

  test.each([
    ['no input', undefined, 'path is missing.'],
    ['a list', ['a.mdx'], 'Parameters: path (string, required)'],
    ['null for what is needed', { path: null }, 'path must be text, not null.'],
    ['a wrong type', { path: 'a.mdx', start_line: 'two' }, 'start_line must be a number, not text.'],
    ['a number out of bounds', { path: 'a.mdx', max_lines: 0 }, 'max_lines must be at least 1.'],
    ['a prototype', JSON.parse('{"__proto__": {"path": "a.mdx"}}'), 'path is missing.'],
  ])('%s is reported with the correct form', async (_name, input, reason) => {
    const output = await toolBench(files).call('read_file', input);
    expect(output).toMatchObject({ invalid: true, isError: true });
    expect(output.text).toContain(reason);
    expect(output.text).toContain('max_lines (integer, default 400)');
  });

  test.each([
    ['{"path": "a.mdx", "start_line": 2', 'the JSON ends early, after 33 characters'],
    ['{"path": "a.m', 'the JSON ends early, after 13 characters'],
    ['{"path": "a.mdx",}', 'the JSON is not valid at character 18 of 18'],
    ['{"path": "a "b" c"}', 'the JSON is not valid at character 14 of 19'],
    ['a.mdx', 'the JSON is not valid'],
  ])('reports where broken JSON ends: %s', async (input, reason) => {
    const output = await toolBench(files).call('read_file', input);
    expect(output).toMatchObject({ invalid: true, isError: true });
    expect(output.text).toContain(`The input of read_file cannot be read: ${reason}.`);
    expect(output.text).not.toContain('Parameters:');
  });

  test.each(['run_command', '', '__proto__', 'toString', 'x'.repeat(10_000)])(
    'there is no tool %j',
    async (name) => {
      const output = await toolBench(files).call(name, {});
      expect(output).toMatchObject({ invalid: true, isError: true });
      expect(output.text).toContain('The tools: list_files, search, read_file');
      expect(output.text.length).toBeLessThan(1000);
    },
  );

  test('a tool that throws becomes a result, not the end of the job', async () => {
    const { context, call } = toolBench(files);
    context.workspace.list = () => {
      throw new Error("broken: no '/var/lib/offprint/job 1'");
    };
    expect(await call('list_files', {})).toMatchObject({
      invalid: false,
      isError: true,
      text: "list_files failed: broken: no '(a path) 1'",
    });
  });

  test('a cancelled job ends with the reason, even in a check that does not listen', async () => {
    const controller = new AbortController();
    const check = {
      parse: async () => {
        controller.abort(new Error('gone'));
        await sleep(60_000, undefined, { ref: false });
        return { status: 'checked' as const, findings: [] };
      },
    };
    const { call } = toolBench(files, { signal: controller.signal, check });
    await expect(call('edit_file', { path: 'a.mdx', old_text: 'one', new_text: '1' })).rejects.toThrow(
      'gone',
    );
    await expect(call('list_files', {})).rejects.toThrow('gone');
  });

  test('any input produces text that can be stored', async () => {
    const { call } = toolBench({ ...files, 'odd.mdx': 'a\u200bb \u202e c' });
    const names = TOOLS.map(({ name }) => name).filter(
      (name) => !['check_docs', 'get_openapi_operation'].includes(name),
    );
    const keys = [
      ...new Set(toolDefinitions().flatMap(({ parameters }) => Object.keys(parameters.properties ?? {}))),
    ];
    const value = fc.oneof(
      anyText(12),
      fc.constantFrom('a.mdx', 'odd.mdx', '../x', 'a\0', '(((', '**/*', '', 'create', 'exact', '\ud800'),
      fc.integer({ min: -5, max: 10 }),
      fc.boolean(),
      fc.constant(null),
      fc.array(fc.anything({ maxDepth: 1 }), { maxLength: 3 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.dictionary(fc.constantFrom(...keys), value),
        async (name, input) => {
          const { text } = await call(name, input);
          expect(text.isWellFormed()).toBe(true);
          expect(text).not.toContain('\0');
        },
      ),
      { numRuns: 400 },
    );
  });
});

describe('globs', () => {
  test.each([
    ['*.mdx', 'a.mdx', true],
    ['*.mdx', 'x/y/a.mdx', true],
    ['*.mdx', 'a.md', false],
    ['**/*.{md,mdx}', 'a.md', true],
    ['**/*.{md,mdx}', 'x/y/a.mdx', true],
    ['x/*.mdx', 'x/y/a.mdx', false],
    ['x/**', 'x/y/a.mdx', true],
    ['./x/?.mdx', 'x/a.mdx', true],
    ['[ab].mdx', 'b.mdx', true],
    ['[!ab].mdx', 'b.mdx', false],
    ['a+(b).mdx', 'a+(b).mdx', true],
    ['{a,b/{c,d}}.mdx', 'b/d.mdx', true],
    ['**', '.hidden/x', true],
    ['', 'a', false],
  ])('%j on %j: %j', (glob, path, expected) => {
    expect(globFilter(glob)(path)).toBe(expected);
  });

  test('any text is a glob or is refused with a sentence', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('*', '?', '{', '}', '[', ']', ',', '/', '!', '^', '-', '\\', 'a', '(', '.'),
          maxLength: 20,
        }),
        (glob) => {
          try {
            expect(typeof globFilter(glob)('a/b.mdx')).toBe('boolean');
          } catch (error) {
            expect((error as Error).message).toMatch(/^(The glob|Invalid glob)/);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});
