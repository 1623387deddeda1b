/** Tools of agent jobs over docs in memory. */
import fc from 'fast-check';
import { knownBaseline } from '../../apps/server/src/agent/check/check-changes.ts';
import type { DocsCheck } from '../../apps/server/src/agent/check/docs-check.ts';
import { inspectTexts } from '../../apps/server/src/agent/check/inspect-texts.ts';
import { runTool } from '../../apps/server/src/agent/tools/registry.ts';
import type { ToolContext, ToolOutput } from '../../apps/server/src/agent/tools/tool.ts';
import { createWorkspace } from '../../apps/server/src/agent/workspace/overlay.ts';
import { treeOf } from './docs-tree.ts';

/** A context, and calls of tools on it the way the loop makes them. */
export interface ToolBench {
  context: ToolContext;
  call(name: string, input: unknown): Promise<ToolOutput & { invalid: boolean }>;
  /** Text of a result that must not be an error. */
  text(name: string, input: unknown): Promise<string>;
  /** Text of a result that must be an error, of a well-formed call. */
  refusal(name: string, input: unknown): Promise<string>;
}

/** Any text, made of any code units, halves of pairs among them. */
export const anyText = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof(fc.integer({ min: 0, max: 0x7f }), fc.integer({ min: 0, max: 0xffff })), { maxLength })
    .map((units) => String.fromCharCode(...units));

/** No page has errors, unless `context` provides a check that reports them. */
export function toolBench(
  files: Record<string, string | Uint8Array>,
  { check, ...overrides }: Partial<Omit<ToolContext, 'check'>> & { check?: Partial<DocsCheck> } = {},
): ToolBench {
  const context: ToolContext = {
    workspace: createWorkspace(treeOf(files), new Map()),
    policy: { docsFolder: '', allow: [] },
    memory: { readPaths: [], plan: [] },
    check: {
      check: async () => ({ status: 'checked', findings: [] }),
      parse: async () => ({ status: 'checked', findings: [] }),
      describeOperation: async () => {
        throw new Error('no operation is described in this test');
      },
      inspect: async (question) => ({ status: 'inspected', ...inspectTexts(question) }),
      ...check,
    },
    baseline: knownBaseline([]),
    signal: new AbortController().signal,
    ...overrides,
  };
  const call: ToolBench['call'] = (name, input) => runTool(name, input, context);
  const expecting = async (name: string, input: unknown, isError: boolean): Promise<string> => {
    const output = await call(name, input);
    if (output.invalid || (output.isError === true) !== isError) {
      throw new Error(`${name} was to ${isError ? 'refuse' : 'work'}: ${output.text}`);
    }
    return output.text;
  };
  return {
    context,
    call,
    text: (name, input) => expecting(name, input, false),
    refusal: (name, input) => expecting(name, input, true),
  };
}
