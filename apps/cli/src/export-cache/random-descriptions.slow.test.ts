import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NO_DESCRIPTIONS, publicDescriptions } from '../../../../test/support/public-descriptions.ts';
import { createRandom } from '../../../../test/support/random.ts';
import { exportsOf } from './page-cache.fixture.ts';

const descriptions = publicDescriptions().filter(({ name }) => /^(?:lob|meilisearch)\./.test(name));
const CHANGES = process.env.OFFPRINT_TEST === 'full' ? 30 : 8;

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Next = (limit: number) => number;

/** Removes a line, or changes its last word. */
function changeLine(text: string, next: Next): string {
  const lines = text.split('\n');
  const at = next(lines.length);
  if (next(3) === 0) lines.splice(at, 1);
  else lines[at] = `${lines[at]}`.replace(/[a-z]+$/, `w${next(1000)}`);
  return lines.join('\n');
}

/** Removes, repeats or replaces a member of any object, or changes a text. */
function changeMember(text: string, next: Next): string {
  const root: Json = JSON.parse(text);
  const objects: { [key: string]: Json }[] = [];
  const references: string[] = [];
  const visit = (value: Json): void => {
    if (value === null || typeof value !== 'object') return;
    if (!Array.isArray(value)) objects.push(value);
    if (!Array.isArray(value) && typeof value.$ref === 'string') references.push(value.$ref);
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(root);
  const object = objects[next(objects.length)] ?? {};
  const keys = Object.keys(object);
  const key = keys[next(keys.length)] ?? 'x-none';
  const value = object[key] ?? null;
  const kind = next(5);
  if (kind === 0) delete object[key];
  else if (kind === 1) object[`${key}${next(10)}`] = value;
  else if (kind === 2) object.$ref = references[next(references.length)] ?? '#/none';
  else if (kind === 3) object[key] = structuredClone(objects[next(objects.length)] ?? null);
  else if (typeof value === 'string') object[key] = `${value} w${next(1000)}`;
  else object.description = `Text w${next(1000)}.`;
  return JSON.stringify(root, null, 2);
}

function writeSite(docs: string): void {
  mkdirSync(docs);
  for (const { name, file } of descriptions) cpSync(file, join(docs, name));
  const groups = descriptions.map(({ name }) => ({
    group: name,
    openapi: { source: name, directory: name.replace(/\.\w+$/, '') },
  }));
  writeFileSync(join(docs, 'index.mdx'), '---\ntitle: Home\n---\n\nText.\n');
  const navigation = { groups: [{ group: 'Start', pages: ['index'] }, ...groups] };
  writeFileSync(
    join(docs, 'docs.json'),
    JSON.stringify({ name: 'Docs', theme: 'mint', colors: { primary: '#123456' }, navigation }),
  );
}

test.skipIf(descriptions.length === 0)(
  descriptions.length === 0
    ? NO_DESCRIPTIONS
    : 'after random changes of API descriptions, an export is the one without a cache',
  async () => {
    const work = mkdtempSync(join(tmpdir(), 'offprint-random-descriptions-'));
    try {
      const docs = join(work, 'docs');
      writeSite(docs);
      const exports = exportsOf(docs, work, 'https://docs.example.com');
      const random = createRandom(11);
      const next: Next = (limit) => Math.floor(random() * limit);
      await exports.warm();
      let rendered = 0;
      let all = 0;
      for (let change = 0; change < CHANGES; change++) {
        const { name = '' } = descriptions[next(descriptions.length)] ?? {};
        const file = join(docs, name);
        const before = readFileSync(file, 'utf8');
        const after = (name.endsWith('.json') ? changeMember : changeLine)(before, next);
        writeFileSync(file, after);
        const { renderedPages, cached: _same, ...warm } = await exports.warm();
        const { renderedPages: _cold, cached: _none, ...cold } = await exports.cold();
        expect(warm, `change ${change} of ${name}`).toEqual(cold);
        rendered += renderedPages;
        all += warm.pageCount;
        if (change % 3 === 2) cpSync(join(descriptions.find((one) => one.name === name)?.file ?? ''), file);
      }
      expect(rendered).toBeLessThan(all);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  },
);
