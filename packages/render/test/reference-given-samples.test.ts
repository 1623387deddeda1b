import { expect, test } from 'vitest';
import { apiSite, renderFiles, textOf } from './output.ts';

const PAGE = 'api-reference/operation';

async function render(samples: unknown, files: Record<string, string | Uint8Array> = {}) {
  return renderFiles({
    ...apiSite(
      {
        openapi: '3.1.0',
        info: { title: 'API', version: '1' },
        paths: { '/things': { get: { summary: 'Operation', 'x-codeSamples': samples } } },
      },
      'api/api.json',
    ),
    ...files,
  });
}

type Output = Awaited<ReturnType<typeof render>>;
const messages = ({ result }: Output): string[] => result.warnings.map(({ message }) => message);

test('the code of a sample may be in a file of its own', async () => {
  const output = await render([{ lang: 'PHP', label: 'SDK', source: { $ref: 'samples/list.php' } }], {
    'api/samples/list.php': "<?php\n$client->list('<b>');\n",
  });
  expect(textOf(output, `${PAGE}.md`)).toContain("```php SDK\n<?php\n$client->list('<b>');\n");
  expect(messages(output)).toEqual([]);
});

test('a sample may be in a file of its own', async () => {
  const output = await render([{ $ref: 'samples/list.json' }], {
    'api/samples/list.json': JSON.stringify({ lang: 'PHP', label: 'SDK', source: { $ref: 'list.php' } }),
    'api/samples/list.php': '<?php list();',
  });
  expect(textOf(output, `${PAGE}.md`)).toContain('```php SDK\n<?php list();\n');
});

test.each([
  ['samples/gone.php', 'is not a text file of at most 100,000 bytes'],
  ['samples/large.php', 'is not a text file of at most 100,000 bytes'],
  ['https://example.com/list.php', 'is not a file of the docs folder'],
  ['../../list.php', 'is outside the docs folder'],
])('code at %s is reported', async ($ref, reason) => {
  const output = await render([{ lang: 'PHP', label: 'SDK', source: { $ref } }], {
    'api/samples/large.php': 'x'.repeat(100_001),
  });
  expect(textOf(output, `${PAGE}.md`)).not.toContain('```php SDK');
  expect(messages(output)).toEqual([
    `The reference "${$ref}" ${reason}, so what it describes is not shown. Correct it or add the file.`,
  ]);
});

test('all samples may be in a file that is a list, and one in such a list', async () => {
  const files = {
    'api/samples/all.yaml': '- lang: ruby\n  source: puts 1\n- lang: php\n  source: {$ref: a.php}\n',
  };
  const all = { ...files, 'api/samples/a.php': '<?php list();' };
  const output = await render({ $ref: 'samples/all.yaml' }, all);
  expect(textOf(output, `${PAGE}.md`)).toContain('```ruby ruby\nputs 1\n');
  expect(textOf(output, `${PAGE}.md`)).toContain('```php php\n<?php list();\n');
  expect(messages(output)).toEqual([]);
  const one = await render([{ $ref: 'samples/all.yaml#/1' }], all);
  expect(textOf(one, `${PAGE}.md`)).toContain('```php php\n<?php list();\n');
});

test('a list of samples that is not found is reported', async () => {
  expect(messages(await render({ $ref: 'samples/all.yaml' }))).toEqual([
    'The reference "samples/all.yaml" does not exist, so what it describes is not shown. Correct it or add the file.',
  ]);
});
