import { expect, test } from 'vitest';
import { treeOf } from '../../../../../test/support/docs-tree.ts';
import { createWorkspace } from '../workspace/overlay.ts';
import { checkChanges, knownBaseline } from './check-changes.ts';
import type { CheckResult, Finding } from './docs-check.ts';

const { signal } = new AbortController();
const base = treeOf({ 'docs.json': '{', 'index.mdx': 'Words.\n' });
const invalid: Finding = {
  file: 'docs.json',
  line: 1,
  code: 'invalid-json',
  message: 'The file ends too early.',
  severity: 'error',
};
const stopped: CheckResult = {
  status: 'checked',
  findings: [invalid],
  stopped: 'docs.json:1: The file ends too early.',
};
const other: Finding = { ...invalid, file: 'index.mdx', code: 'broken-link', severity: 'warning' };

/** Changes whose base and whose current state have these results. */
function changed(before: CheckResult, now: CheckResult, known?: readonly Finding[]) {
  const workspace = createWorkspace(base, new Map([['index.mdx', '[gone](/gone)\n']]));
  const check = {
    check: async () => now,
    parse: () => expect.unreachable(),
    describeOperation: () => expect.unreachable(),
    inspect: () => expect.unreachable(),
  };
  const baseline = known === undefined ? async () => before : knownBaseline(known);
  return checkChanges({ check, baseline }, workspace, signal);
}

test('an error of the base that hides everything else makes the changes not checked', async () => {
  expect(await changed(stopped, stopped)).toEqual({
    status: 'not_checked',
    reason: 'the base has an error beyond which nothing is checked. docs.json:1: The file ends too early.',
  });
});

test('a change that breaks the configuration has that finding, and none of the hidden ones counts as fixed', async () => {
  expect(await changed(stopped, stopped, [other])).toMatchObject({
    status: 'checked',
    difference: { new: [invalid], fixed: [] },
  });
});

test('a check that stopped at an existing error makes the changes not checked', async () => {
  expect(await changed(stopped, stopped, [invalid])).toMatchObject({
    status: 'not_checked',
    reason: expect.stringContaining('docs.json:1'),
  });
});

test('a base that could not be checked makes the changes not checked', async () => {
  const busy: CheckResult = { status: 'not_checked', reason: 'the server is busy.' };
  expect(await changed(busy, { status: 'checked', findings: [] })).toEqual(busy);
});
