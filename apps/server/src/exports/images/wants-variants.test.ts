import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mayWantVariants } from './wants-variants.ts';

test.each([
  ['docs.json', '{ "images": { "variants": "webp" } }', true],
  ['mint.json', '{ "images": {\n"variants":\n"avif" } }', true],
  ['docs.json', '{ "images": { "$ref": "./images.json" } }', true],
  ['docs.json', '{ "images": { "v\\u0061riants": "webp" } }', true],
  ['docs.json', '{ "name": "Docs", "navigation": { "pages": ["index"] } }', false],
  ['other.json', '{ "images": { "variants": "webp" } }', false],
])('docs with %s %j may ask for variants: %j', async (file, content, wanted) => {
  const folder = mkdtempSync(join(tmpdir(), 'offprint-wants-'));
  try {
    writeFileSync(join(folder, file), content);
    expect(await mayWantVariants(folder)).toBe(wanted);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
