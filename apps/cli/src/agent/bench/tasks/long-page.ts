import { buildFixture, type Files } from '../fixture/fixture.ts';
import { demand, type Task } from '../task.ts';
import { allowsOf, changedLines, changedPaths, sectionOf, textOf } from '../text.ts';

const PAGE = 'releases.mdx';
/** A version whose notes contain the sentence; a quarter of all versions do. */
export const VERSION = '1.14.7';
const WRONG = 'The signature of a delivery is refused after a default of 5 minutes.';
const start = () => buildFixture();

function expected(): Files {
  const files = buildFixture();
  const text = textOf(files, PAGE);
  const at = text.indexOf(WRONG, text.indexOf(`## ${VERSION}\n`));
  return files.set(
    PAGE,
    `${text.slice(0, at)}${WRONG.replace('5 min', '15 min')}${text.slice(at + WRONG.length)}`,
  );
}

export const longPage: Task = {
  id: 13,
  name: 'Edit one line of a 160 KB page',
  prompts: [
    `In the release notes (${PAGE}), those of version ${VERSION} say that signatures are refused after a default of 5 minutes. In that version it was 15 minutes. Correct that line.`,
  ],
  start,
  check({ start: before, end }) {
    const [is, was] = [textOf(end, PAGE), textOf(before, PAGE)];
    return [
      demand(
        'corrected',
        sectionOf(is, VERSION).includes('default of 15 minutes')
          ? null
          : 'the notes of the version are not corrected',
      ),
      demand(
        'one-line',
        changedLines(was, is).length === 2 ? null : `${changedLines(was, is).length} lines differ`,
      ),
      demand(
        'exact-page',
        is === textOf(expected(), PAGE) ? null : 'the page differs from the expected text',
      ),
      demand(
        'nothing-else',
        changedPaths(before, end).filter((path) => path !== PAGE),
      ),
    ];
  },
  allows: allowsOf(start, expected),
};
