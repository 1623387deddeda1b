import { Bot } from 'lucide-react';
import { expect, test } from 'vitest';
import { allowedActions, findEntries, type PaletteEntry } from './palette-entries.ts';

const labels = (plan: 'free' | 'pro' | 'enterprise', role: 'viewer' | 'editor' | 'admin') =>
  allowedActions({ plan, role }).map(({ label }) => label);

test('offers only the actions that the role and the plan allow', () => {
  expect(labels('enterprise', 'admin')).toEqual([
    'Start export',
    'New project',
    'New agent job',
    'Invite a member',
    'Create API key',
    'New organization',
  ]);
  expect(labels('pro', 'editor')).toEqual(['New project', 'New agent job', 'New organization']);
  expect(labels('free', 'editor')).toEqual(['New project', 'New organization']);
  expect(labels('enterprise', 'viewer')).toEqual(['New organization']);
  expect(allowedActions(null).map(({ label }) => label)).toEqual(['New organization']);
});

const entry = (group: string, label: string, more: Partial<PaletteEntry> = {}): PaletteEntry => ({
  id: `${group} ${label}`,
  group,
  label,
  icon: Bot,
  run: () => {},
  ...more,
});

const entries = [
  entry('Projects', 'Acme Handbook', { detail: 'docs.acme.example' }),
  entry('Pages', 'API keys'),
  entry('Pages', 'Audit log'),
  entry('Actions', 'Create API key', { keywords: 'token' }),
  entry('Exports', 'docs.acme.example 1.0', { isHidden: true }),
];
const found = (query: string) =>
  findEntries(entries, query).map(({ group, entries: some }) => [group, some.map(({ label }) => label)]);

test('finds entries by every word, in the label, its detail and its keywords, the best first', () => {
  expect(found('key')).toEqual([
    ['Pages', ['API keys']],
    ['Actions', ['Create API key']],
  ]);
  expect(found('api')[0]).toEqual(['Pages', ['API keys']]);
  expect(found('TOKEN')).toEqual([['Actions', ['Create API key']]]);
  expect(found('acme hand')).toEqual([['Projects', ['Acme Handbook']]]);
  expect(found('docs')).toEqual([
    ['Projects', ['Acme Handbook']],
    ['Exports', ['docs.acme.example 1.0']],
  ]);
  expect(found('acme nothing')).toEqual([]);
});

test('lists everything but exports before something is typed', () => {
  expect(found('  ').map(([group]) => group)).toEqual(['Projects', 'Pages', 'Actions']);
});

test('shows at most eight projects, and every page', () => {
  const many = Array.from({ length: 30 }, (_, at) => entry('Projects', `Docs ${at}`));
  expect(findEntries(many, 'docs')[0]?.entries).toHaveLength(8);
  const pages = Array.from({ length: 12 }, (_, at) => entry('Pages', `Page ${at}`));
  expect(findEntries(pages, '')[0]?.entries).toHaveLength(12);
});
