import { describe, expect, test } from 'vitest';
import { checkText, checkTree, proseOf } from '../scripts/words.ts';

const rejected: [sentence: string, phrase: string][] = [
  ['This is no host name.', 'is no'],
  ['These are no pages.', 'are no'],
  ['The value\nis no host name.', 'is no'],
  ['The log tells why.', 'tells'],
  ['Pages are sent to who asks for them.', 'to who'],
  ['Who has a link can download the bundle.', 'Who has a link can download the bundle.'],
  ['It works for whoever has the link.', 'whoever'],
  ['The job is archived for good.', 'for good'],
  ['Each redirect is checked anew.', 'anew'],
  ['A change in between would be waited for in vain.', 'in vain'],
  ['Read again, now that the ear is open.', 'the ear is open'],
  ['Not so many requests at once.', 'so many'],
  ['The export has begun.', 'begun'],
  ['The old server gives way.', 'gives way'],
  ['A team stands behind it.', 'stands behind'],
  ['The job comes back later.', 'comes back'],
  ['A fault of the page.', 'fault'],
  ['The export goes on.', 'goes on'],
  ['The server answers with 404.', 'answers'],
  ['No coding matches.', 'coding'],
  ['Make a key.', 'Make a key'],
  ['Send an e-mail.', 'e-mail'],
  ['The address of the dashboard.', 'address'],
  ['One folder a feature.', 'One folder a feature'],
  ['It ends with 1.', 'ends with 1'],
  ['What is not sent is off.', 'What is not sent is off.'],
  ['The behaviour is documented.', 'behaviour'],
];

const accepted = [
  'There is no limit.',
  'The link is no longer valid.',
  'The page shows who started the export.',
  'What happens next?',
  '## What an export contains',
  'The IP address, the email address and the address bar.',
  'Names that end with a slash.',
  'The process has fault tolerance.',
  'The most recent export.',
  'An encoding, a coding agent and the content encoding.',
  'The assistant answers the question.',
  'Write `is no` or `tells`.',
  '```text\nThis is no host name.\n```',
  '<Steps>\n    ```sh\n    echo tells\n    ```\n</Steps>',
  'See [the page](/tells/begun).',
];

describe('rejected phrases', () => {
  test.each(rejected)('%j contains %j', (sentence, phrase) => {
    expect(checkText('docs/page.mdx', `${sentence}\n`).map(({ text }) => text)).toEqual([phrase]);
  });

  test.each(accepted)('%j passes', (sentence) => {
    expect(checkText('docs/page.mdx', `${sentence}\n`)).toEqual([]);
  });

  test('a finding has the line and a suggestion', () => {
    expect(checkText('docs/page.mdx', 'Fine.\n\nIt tells why.\n')).toEqual([
      { file: 'docs/page.mdx', line: 3, text: 'tells', instead: 'reports, logs, shows' },
    ]);
  });
});

describe('the words of source code', () => {
  const found = (path: string, text: string) =>
    checkText(path, text).map(({ line, text }) => `${line} ${text}`);

  test('comments are checked, across lines too', () => {
    expect(found('a.ts', '// It is\n// no key.\n/**\n * The log\n * tells it.\n */\n')).toEqual([
      '1 is no',
      '5 tells',
    ]);
  });

  test('strings, templates and text of elements are checked', () => {
    expect(
      // biome-ignore lint/suspicious/noTemplateCurlyInString: source code of a template
      found('a.tsx', "const a = 'it tells';\nconst b = `${a} is no key`;\nconst c = <p>It has begun.</p>;\n"),
    ).toEqual(['1 tells', '2 is no', '3 begun']);
  });

  test('identifiers, codes and imports are not checked', () => {
    expect(found('a.ts', "import { told } from './told.ts';\nexport const fault = told('fault');\n")).toEqual(
      [],
    );
  });

  test('a phrase does not continue from one string to the next', () => {
    expect(found('a.ts', "const a = ['it is', 'no key'];\n")).toEqual([]);
  });

  test('titles of tests are checked, their sample texts are not', () => {
    const text = "test('it tells why', () => {\n  expect(message).toBe('this is no key');\n});\n";
    expect(found('a.test.ts', text)).toEqual(['1 tells']);
  });

  test('the prose of a file is as long as the file, so lines are right', () => {
    const text = 'const a = "x y";\n\n// why\n';
    expect(proseOf('a.ts', text)).toHaveLength(text.length);
  });
});

test('the checkout contains no rejected phrase where the check applies', () => {
  expect(checkTree()).toEqual([]);
});
