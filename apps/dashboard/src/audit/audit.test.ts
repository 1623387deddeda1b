import { type Route, routes } from '@offprint/contract';
import { expect, test } from 'vitest';
import { ACTIONS, actionWords } from './actions.ts';
import { auditFilterOf, readAuditSearch } from './filter.ts';

test('every call that changes something has words, and no words are of a call that is gone', () => {
  const ids = (Object.values(routes) as Route[])
    .filter(({ method, operationId }) => method !== 'GET' || operationId === 'exportAuditEvents')
    .filter(({ scope, access, tag }) => scope !== null || access !== undefined || tag !== 'Automation')
    .map(({ operationId }) => operationId);
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
