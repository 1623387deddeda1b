import { describe, expect, test } from 'vitest';
import { isVacuous, runCheck } from './conformance/check.ts';
import { definedNames } from './conformance/defined-components.ts';
import { isOfKey, missingKeys } from './conformance/defined-keys.ts';
import { inventory } from './conformance/inventory.ts';
import { sections } from './conformance/sections.ts';

/** What every site has, or what changes nothing that can be seen. */
const PLAIN = new Set([
  ...['$schema', 'navigation', 'robots.txt', 'llms.txt', '.well-known/llms.txt', '404.html', '_headers'],
  ...['search index', 'preview images', 'Open Graph and Twitter', 'JSON-LD', 'theme-color', 'generator'],
  // Pages of served sites only have what it switches off; `services.test.ts` tests it.
  'integrations.telemetry.enabled',
]);

describe('the conformance table', () => {
  test('has the sections of the inventory', () => {
    expect(sections.map(({ title }) => title)).toEqual(Object.keys(inventory));
  });

  describe.each(sections)('$title', ({ title, rows }) => {
    test('has one row for each name of the format, and no other', () => {
      const names = new Set([...(inventory[title] ?? []), ...(title === 'components' ? definedNames : [])]);
      const others = rows.map(({ name }) => name).filter((name) => names.has(name) || !isOfKey(title, name));
      expect(others.toSorted()).toEqual([...names].toSorted());
    });

    test('has a row for each key that is defined', () => {
      expect(missingKeys(title, rows)).toEqual([]);
    });

    test('says how or why of each row that is not supported, and shows an export of each that is', () => {
      const silent = rows.filter(({ state, note, check }) =>
        state === 'supported' ? check === null : note === '',
      );
      expect(silent.map(({ name }) => name)).toEqual([]);
    });

    test('shows of each supported row something that a plain site does not have', async () => {
      const vacuous: string[] = [];
      for (const { name, state, check } of rows) {
        if (state === 'supported' && check !== null && !PLAIN.has(name) && (await isVacuous(check))) {
          vacuous.push(name);
        }
      }
      expect(vacuous).toEqual([]);
    });

    const checked = rows.flatMap(({ name, check }) => (check === null ? [] : [{ name, check }]));
    test.each(checked)('$name', async ({ check }) => {
      expect(await runCheck(check)).toEqual([]);
    });
  });
});
