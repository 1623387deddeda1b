import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { utilityStyles } from './utilities.ts';

const css = utilityStyles();
const flat = css.replaceAll('html:not(.js,.light)', 'html');
const selectors = [...flat.matchAll(/(?<=^|[{},])(\.[^{}]+?)(?=\{)/g)].flatMap(([text]) =>
  text.split(/,(?=\.)/),
);
const classesOf = (selector: string): string[] =>
  [...selector.matchAll(/\.((?:\\.|[\w-])+)/g)].map((match) => (match[1] ?? '').replaceAll('\\', ''));

test('the utility classes stay below 12 kB', () => {
  expect(css.length).toBeLessThan(12_000);
});

test('each is one class, so that a rule of the site with one class wins', () => {
  for (const selector of selectors) {
    if (selector.startsWith('.group:hover') || selector.startsWith('.not-prose')) continue;
    expect(classesOf(selector), selector).toHaveLength(1);
  }
});

test('none has the name of a class that the theme uses for its own parts', () => {
  const folder = new URL('./styles/', import.meta.url);
  const own = new Set(
    readdirSync(folder).flatMap((name) => {
      const sheet = readFileSync(new URL(name, folder), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
      return [...sheet.matchAll(/\.([a-z][\w-]*)(?=[^{};]*\{)/g)].map((match) => match[1] ?? '');
    }),
  );
  expect(own.has('card')).toBe(true);
  expect(selectors.flatMap(classesOf).filter((name) => own.has(name))).toEqual([]);
});

test.each([
  'hidden',
  'dark:block',
  'md:grid-cols-3',
  'lg:hidden',
  'mt-1',
  'py-16',
  'max-w-3xl',
  'text-gray-500',
  'dark:text-zinc-400',
  'border-zinc-950/20',
  'group-hover:text-primary',
  'aspect-[2/1]',
])('%s is there', (name) => {
  expect(selectors.flatMap(classesOf)).toContain(name);
});
