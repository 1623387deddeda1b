import { buildFixture, type Files } from '../fixture/fixture.ts';
import { demand, type Task } from '../task.ts';
import { allowsOf, changedPaths, sectionOf, textOf } from '../text.ts';

const PAGE = 'guides/environments.mdx';
const start = () => buildFixture();

function expected(): Files {
  const files = buildFixture();
  const text = textOf(files, PAGE);
  const at = text.lastIndexOf('timeout: 30s');
  return files.set(PAGE, `${text.slice(0, at)}timeout: 45s${text.slice(at + 'timeout: 30s'.length)}`);
}

export const ambiguousText: Task = {
  id: 12,
  name: 'Edit the correct one of two equal texts',
  prompts: [
    `On ${PAGE}, the destination of the production environment has a time limit of 45 seconds now. Correct the example.`,
  ],
  start,
  check({ start: before, end }) {
    const [is, was, right] = [textOf(end, PAGE), textOf(before, PAGE), textOf(expected(), PAGE)];
    return [
      demand('production', sectionOf(is, 'Production').includes('timeout: 45s') ? null : 'not changed'),
      demand('staging', sectionOf(is, 'Staging') === sectionOf(was, 'Staging') ? null : 'staging changed'),
      demand('exact-page', is === right ? null : 'the page differs from the expected text'),
      demand(
        'nothing-else',
        changedPaths(before, end).filter((path) => path !== PAGE),
      ),
    ];
  },
  allows: allowsOf(start, expected),
};
