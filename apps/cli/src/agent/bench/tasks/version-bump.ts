import { buildFixture } from '../fixture/fixture.ts';
import { demand, type Task } from '../task.ts';
import { allowsOf, changedPaths, differences, fencesOf, textOf, withoutFences } from '../text.ts';

const start = () => buildFixture();
const expected = () => buildFixture({ version: '2.4.0' });

/** The same number is also in sentences about the past, and part of other numbers. */
export const versionBump: Task = {
  id: 6,
  name: 'Change a version in snippets only',
  prompts: [
    'Ferrywell 2.4.0 is out. Change 2.3.1 to 2.4.0 in the code blocks of all pages, the German ones too, where it is the version of Ferrywell to install or run. Sentences about 2.3.1 stay as they are, and so do the release notes.',
  ],
  start,
  check({ start: before, end }) {
    const wanted = expected();
    const outside: string[] = [];
    const inside: string[] = [];
    for (const [path, content] of wanted) {
      if (typeof content !== 'string' || !path.endsWith('.mdx')) continue;
      const [was, is] = [textOf(before, path), textOf(end, path)];
      if (withoutFences(is) !== withoutFences(was)) outside.push(`${path} changed outside of code blocks`);
      if (fencesOf(is).join('\n') !== fencesOf(content).join('\n')) inside.push(`code of ${path}`);
    }
    return [
      demand('only-code', outside),
      demand('every-snippet', inside),
      demand('exact-tree', differences(end, wanted)),
      demand(
        'same-files',
        changedPaths(before, end).filter((path) => !wanted.has(path) || !end.has(path)),
      ),
    ];
  },
  allows: allowsOf(start, expected),
};
