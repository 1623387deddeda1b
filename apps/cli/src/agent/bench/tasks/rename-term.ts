import { buildFixture } from '../fixture/fixture.ts';
import { demand, type Task } from '../task.ts';
import { allowsOf, codeOf, differences, proseOf, textOf } from '../text.ts';

const expected = () => buildFixture({ term: 'courier' });
const start = () => buildFixture();

const OLD = /\brelays?\b/gi;

/** The word is also in code, URLs, ids, another language and old notes, where it must not change. */
export const renameTerm: Task = {
  id: 1,
  name: 'Rename a term everywhere',
  prompts: [
    `We call a "relay" a "courier" from now on. Change the word (and "relays" to "couriers", capitals as they are) wherever readers of the English pages read it as a word: text, headings, tables, alternative texts of images, titles and descriptions in front matter, titles of components, and labels of groups in docs.json.

Leave everything else as it is: code blocks and inline code, URLs and file names, ids, names of fields, commands and errors (the pages titled "ferrywell relay" and "relay_paused" keep their titles), openapi.json, the pictures, the German pages, and the release notes, which are history.`,
  ],
  start,
  check({ start: before, end }) {
    const wanted = expected();
    const prose: string[] = [];
    const code: string[] = [];
    for (const [path, content] of wanted) {
      if (typeof content !== 'string' || !path.endsWith('.mdx')) continue;
      const words = (text: string): number => proseOf(text).match(OLD)?.length ?? 0;
      const [found, right] = [words(textOf(end, path)), words(content)];
      if (found > right) prose.push(`${path} still contains the old term ${found - right} times`);
      if (codeOf(textOf(end, path)).join('\n') !== codeOf(textOf(before, path)).join('\n')) {
        code.push(`code or URLs of ${path} changed`);
      }
    }
    return [
      demand('no-old-word', prose),
      demand('code-untouched', code),
      demand('exact-tree', differences(end, wanted)),
    ];
  },
  allows: allowsOf(start, expected),
};
