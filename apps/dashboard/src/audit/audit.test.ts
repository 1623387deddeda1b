import { type Route, routes } from '@offprint/contract';
import { expect, test } from 'vitest';
import { ACTIONS, actionWords } from './actions.ts';
import { auditFilterOf, readAuditSearch } from './filter.ts';
import { changeText, pageOfTarget } from './target.ts';

/** Reads with a body and questions of readers, which the audit log does not list. */
const QUERIES = new Set(['searchSite', 'getSitePage', 'createAssistantMessage']);

test('every call that changes something has words, and no words are of a call that is gone', () => {
  const ids = (Object.values(routes) as Route[])
    .filter(({ method, operationId }) => method !== 'GET' || operationId === 'exportAuditEvents')
    .filter(({ scope, access, tag }) => scope !== null || access !== undefined || tag !== 'Automation')
    .map(({ operationId }) => operationId)
    .filter((id) => !QUERIES.has(id));
  expect(ids.filter((id) => !Object.hasOwn(ACTIONS, id))).toEqual([]);
  const known = new Set((Object.values(routes) as Route[]).map(({ operationId }) => operationId));
  expect(Object.keys(ACTIONS).filter((id) => !known.has(id))).toEqual([]);
});

test('an action without words is spelled out', () => {
  expect(actionWords('doSomethingNew')).toBe('do something new');
  expect(actionWords('constructor')).toBe('constructor');
});

test('filters of an address are taken when they are filters', () => {
  expect(
    readAuditSearch({
      actor: 42,
      action: ' signIn ',
      outcome: 'refused',
      from: '2026-06-01',
      to: '2026-13-01',
    }),
  ).toEqual({ actor: '42', action: 'signIn', outcome: 'refused', from: '2026-06-01' });
  expect(readAuditSearch({ actor: { a: 1 }, outcome: 'toString', from: '2026-6-1', action: '' })).toEqual({});
});

test('the last day is shown to its end', () => {
  const { from, to } = auditFilterOf({ from: '2026-02-28', to: '2026-02-28' });
  expect(Date.parse(to ?? '') - Date.parse(from ?? '')).toBe(86_400_000);
  expect(auditFilterOf({ outcome: 'done' })).toEqual({ outcome: 'done' });
});

test('a target links to its page, where it has one', () => {
  const page = (target: string | null, action = 'updateProject', projectId: string | null = null) =>
    pageOfTarget({ target, action, projectId }, 'org_1');
  expect(page('prj_1')?.params).toEqual({ organizationId: 'org_1', projectId: 'prj_1' });
  expect(page('se_1', 'startExport')?.params).toEqual({ organizationId: 'org_1', jobId: 'se_1' });
  expect(page('job_1', 'createAgentJob', 'prj_1')?.params).toMatchObject({
    projectId: 'prj_1',
    jobId: 'job_1',
  });
  expect(page('key_1', 'revokeApiKey')?.to).toBe('/$organizationId/keys');
  for (const none of [
    page(null),
    page('prj_1', 'deleteProject'),
    page('job_1'),
    page('ses_1'),
    page('odd'),
  ]) {
    expect(none).toBeNull();
  }
});

test('a change shows its values, or only the field if they are not recorded', () => {
  expect(changeText({ field: 'name', from: 'Docs', to: 'Handbook' })).toBe('name: Docs → Handbook');
  expect(changeText({ field: 'source.branch', from: null, to: 'main' })).toBe('source.branch: (none) → main');
  expect(changeText({ field: 'model.apiKey', from: null, to: null })).toBe('model.apiKey changed');
});
