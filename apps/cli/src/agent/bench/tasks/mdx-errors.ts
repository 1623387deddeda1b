import { buildFixture, type Files } from '../fixture/fixture.ts';
import { demand, type Task } from '../task.ts';
import { allowsOf, changedPaths, tagsOf, textOf, visibleOf, withEdit } from '../text.ts';

/** Damaged text: page, correct text, damaged text. */
export const DAMAGED = [
  ['index.mdx', '</Columns>', '</Colums>'],
  ['quickstart.mdx', 'shown once.\n  </Step>', 'shown once.'],
  ['guides/regions.mdx', '<Accordion title="Can I', '<Accordion title=Can I'],
  ['install.mdx', '<Tab title="Linux">', '<Tab title="Linux>'],
  ['guides/relays.mdx', '</Warning>', '<Warning>'],
] as const;

function start(): Files {
  let files = buildFixture();
  for (const [path, right, wrong] of DAMAGED) files = withEdit(files, path, right, wrong);
  return files;
}

export const mdxErrors: Task = {
  id: 7,
  name: 'Fix MDX errors on 5 pages',
  prompts: [
    'Five pages have MDX errors: tags that are not closed, misspelled or badly quoted. Find and fix them so that every page parses. What readers read must not change, and no component may be removed.',
  ],
  start,
  check({ start: before, end, findings }) {
    const good = buildFixture();
    const pages = DAMAGED.map(([path]) => path);
    return [
      demand(
        'parses',
        findings
          .filter(({ file }) => (pages as string[]).includes(file))
          .map(({ file, message }) => `${file}: ${message}`),
      ),
      demand(
        'same-words',
        pages
          .filter((path) => visibleOf(textOf(end, path)) !== visibleOf(textOf(good, path)))
          .map((path) => `words of ${path} changed`),
      ),
      demand(
        'same-components',
        pages
          .filter((path) => tagsOf(textOf(end, path)).join() !== tagsOf(textOf(good, path)).join())
          .map((path) => `components of ${path} changed`),
      ),
      demand(
        'nothing-else',
        changedPaths(before, end).filter((path) => !(pages as string[]).includes(path)),
      ),
    ];
  },
  allows: allowsOf(start, () => buildFixture()),
};
