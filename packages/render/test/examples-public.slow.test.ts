import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { NO_DESCRIPTIONS, publicDescriptions } from '../../../test/support/public-descriptions.ts';
import { isObject, type JsonObject } from '../src/config/json.ts';
import { operationPlace } from '../src/nav/page-operation.ts';
import { openSite } from '../src/open-site.ts';
import { matchExample } from '../src/reference/examples/check.ts';
import { createCollector, type Example } from '../src/reference/examples/collect.ts';
import { isMismatch } from '../src/reference/examples/match.ts';
import { memorySource } from '../src/source.ts';

/*
 * No report is false: a second validator, which compiles schemas and knows all keywords, rejects each example that is
 * reported for the public descriptions. It accepts more here: properties of the other direction are not excepted.
 */

interface Reported {
  document: JsonObject;
  found: { example: Example; message: string }[];
  examples: number;
}

function reportedIn(name: string, text: string): Reported {
  const docs = { name: 'Site', theme: 'mint', colors: { primary: '#166e3f' }, navigation: { openapi: name } };
  const source = memorySource({ 'docs.json': JSON.stringify(docs), 'index.mdx': 'Text', [name]: text });
  const { siteMap } = openSite({ source, siteUrl: null }, () => {});
  const { schemas } = siteMap.descriptions;
  const collector = createCollector(schemas);
  let document: JsonObject = {};
  for (const page of siteMap.pages) {
    const place = operationPlace(page, siteMap);
    if (place === null) continue;
    ({ document } = place);
    collector.operation(place);
  }
  const found = collector.examples.flatMap((example) => {
    const { direction, ignoresSiblings } = example;
    const budget = { steps: 1_000_000 };
    const match = matchExample(example, { schemas, direction, ignoresSiblings, budget });
    return isMismatch(match) ? [{ example, message: `${match.path.join('.')} ${match.message}` }] : [];
  });
  return { document, found, examples: collector.examples.length };
}

function hasTarget(document: unknown, reference: string): boolean {
  let value = document;
  for (const segment of reference.slice(2).split('/')) {
    const key = decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~');
    value = Array.isArray(value) ? value[Number(key)] : isObject(value) ? value[key] : undefined;
  }
  return value !== undefined;
}

/** A schema of OpenAPI 3.0 or 3.1 as one of draft 2020-12, with references into `doc`. */
function converted(value: unknown, document: JsonObject): unknown {
  if (Array.isArray(value)) return value.map((item) => converted(item, document));
  if (!isObject(value)) return value;
  const { $ref } = value;
  const inner = Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) =>
      key === '$id' || key === 'pattern' ? [] : [[key, converted(member, document)]],
    ),
  );
  if (typeof $ref === 'string') {
    const isKnown = $ref.startsWith('#/') && hasTarget(document, $ref);
    const target = isKnown ? { $ref: `doc${$ref}` } : {};
    return /^3\.0/.test(String(document.openapi)) ? target : { ...inner, $ref: undefined, ...target };
  }
  for (const [flag, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (inner[flag] === true) inner[flag] = inner[limit];
    if (inner[flag] === false) delete inner[flag];
  }
  if (Array.isArray(inner.items)) {
    inner.prefixItems = inner.items;
    delete inner.items;
  }
  const { nullable, discriminator: _discriminator, ...rest } = inner;
  if (typeof nullable !== 'boolean') return inner;
  return nullable ? { anyOf: [rest, { type: 'null' }] } : rest;
}

const descriptions = publicDescriptions();

describe.skipIf(descriptions.length === 0)(
  descriptions.length === 0 ? NO_DESCRIPTIONS : 'examples of public API descriptions',
  () => {
    let total = 0;
    test.each(descriptions)('each report of $name is true', ({ name, file }) => {
      const { document, found, examples } = reportedIn(name, readFileSync(file, 'utf8'));
      total += examples;
      const ajv = new Ajv2020({
        strict: false,
        validateFormats: false,
        validateSchema: false,
        logger: false,
      });
      ajv.addSchema(Object(converted(document, document)), 'doc');
      const accepted = found.filter(({ example: { schema, value } }) =>
        ajv.validate(Object(converted(schema.value, document)), value),
      );
      expect(
        accepted.map(({ example, message }) => `${message}: ${JSON.stringify(example.value).slice(0, 100)}`),
      ).toEqual([]);
    });

    test('the descriptions have enough examples', () => {
      expect(total).toBeGreaterThan(15_000);
    });
  },
);
