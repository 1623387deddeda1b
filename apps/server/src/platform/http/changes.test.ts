import { expect, test } from 'vitest';
import { changesBetween } from './changes.ts';

test('names each field that differs, with its old and new value', () => {
  const before = { id: 'prj_1', name: 'Docs', source: { kind: 'git', branch: null }, domains: ['a.example'] };
  const after = {
    id: 'prj_1',
    name: 'Docs',
    source: { kind: 'git', branch: 'main' },
    domains: ['a.example', 'b.example'],
  };
  expect(changesBetween(before, after)).toEqual([
    { field: 'domains', from: 'a.example', to: 'a.example, b.example' },
    { field: 'source.branch', from: null, to: 'main' },
  ]);
  expect(changesBetween(before, before)).toEqual([]);
});

test('reports a part that was added or removed', () => {
  const none = { schedule: null };
  const daily = { schedule: { cron: '0 6 * * *', timeZone: 'UTC', nextAt: '2026-01-01T06:00:00Z' } };
  expect(changesBetween(none, daily)).toEqual([
    { field: 'schedule.cron', from: null, to: '0 6 * * *' },
    { field: 'schedule.timeZone', from: null, to: 'UTC' },
  ]);
  expect(changesBetween(daily, none)).toEqual([
    { field: 'schedule.cron', from: '0 6 * * *', to: null },
    { field: 'schedule.timeZone', from: 'UTC', to: null },
  ]);
});

test('names secrets and long texts without their values', () => {
  const body = {
    instructions: 'Be brief.',
    model: { model: 'm', apiKey: 'sk-secret' },
    forge: { kind: 'github', privateKey: null, token: undefined },
  };
  const changes = changesBetween(
    { instructions: '', model: { model: 'm', hasApiKey: false } },
    { instructions: 'Be brief.', model: { model: 'm', hasApiKey: true } },
    body,
  );
  expect(changes).toEqual([
    { field: 'forge.privateKey', from: null, to: null },
    { field: 'instructions', from: null, to: null },
    { field: 'model.apiKey', from: null, to: null },
  ]);
  expect(JSON.stringify(changes)).not.toContain('sk-secret');
});

test('shortens long values and long lists of changes', () => {
  const [change] = changesBetween({ name: 'a' }, { name: 'b'.repeat(500) });
  expect(change?.to).toHaveLength(200);
  const many = Object.fromEntries(Array.from({ length: 80 }, (_, at) => [`f${at}`, at]));
  expect(changesBetween({}, many)).toHaveLength(50);
});
