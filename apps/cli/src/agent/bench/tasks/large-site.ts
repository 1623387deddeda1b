import { buildFixture } from '../fixture/fixture.ts';
import { berthPath, withBerths } from '../fixture/large.ts';
import { withEdit } from '../text.ts';
import { exactTask } from './exact.ts';

/** The page before it names the same port, as that of its neighbor. */
export const BERTH = 1_117;

export const onePageOfMany = exactTask({
  id: 20,
  name: 'Correct one of 1,500 similar pages',
  start: () => withBerths(buildFixture()),
  turns: [
    {
      prompt: `The berth with port ${7_000 + BERTH} is deeper than its page says: it has a depth of 19 m. Correct the page of that berth.`,
      expected: () =>
        withEdit(
          withBerths(buildFixture()),
          berthPath(BERTH),
          `| depth | ${7 + (BERTH % 6)} m |`,
          '| depth | 19 m |',
        ),
    },
  ],
});

export const errorOfMany = exactTask({
  id: 21,
  name: 'Rename an error on 60 of 1,500 pages',
  start: () => withBerths(buildFixture()),
  turns: [
    {
      prompt:
        'The error `berth_full` is called `berth_occupied` from now on. Rename it on all pages. The field `berth_full_since` keeps its name.',
      expected: () => withBerths(buildFixture(), { error: 'berth_occupied' }),
    },
  ],
});
