import { expect, test } from 'vitest';
import { apiSite, renderFiles, textOf } from './output.ts';
import { outline } from './reference-outline.ts';

const PAGE = 'api-reference/operation';

/** What a page shows of the parameter `p`. */
async function show(parameter: object): Promise<string[]> {
  const output = await renderFiles(
    apiSite({
      openapi: '3.1.0',
      info: { title: 'API', version: '1' },
      paths: {
        '/things': {
          get: {
            summary: 'Operation',
            parameters: [{ name: 'p', in: 'query', schema: { type: 'string' }, ...parameter }],
          },
        },
      },
    }),
  );
  return outline(textOf(output, `${PAGE}.html`), `${PAGE}.html`, 'parameter-p');
}

test('each named example of a parameter is shown with its summary and description', async () => {
  const examples = {
    scheduled: { summary: 'What is planned', value: 'status eq "SCHEDULED"' },
    done: { value: 'status eq "DONE"', description: 'Also with **older** ones.' },
  };
  expect(await show({ examples })).toEqual([
    'p · string · query',
    '  Example:',
    '  - status eq "SCHEDULED" What is planned',
    '  - status eq "DONE" done: Also with older ones.',
  ]);
});

test('a single named example of a parameter is shown with its description', async () => {
  expect(await show({ examples: { one: { value: 'x' } } })).toEqual(['p · string · query', '  Example: x']);
  expect(await show({ examples: { one: { value: 'x', description: 'First.' } } })).toEqual([
    'p · string · query',
    '  Example:',
    '  - x one: First.',
  ]);
});

test('each example of a schema is shown', async () => {
  expect(await show({ schema: { type: 'string', examples: ['a', 'b'] } })).toEqual([
    'p · string · query',
    '  Example: a b',
  ]);
});

test('a long example ends after 2,000 characters', async () => {
  for (const value of ['x'.repeat(3000), ['x'.repeat(3000)]]) {
    const [, line = ''] = await show({ example: value });
    expect(line).toMatch(/^ {2}Example: .*x…$/);
    expect(line.length).toBeLessThan(2020);
  }
});
