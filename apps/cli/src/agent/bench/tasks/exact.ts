import type { Files } from '../fixture/fixture.ts';
import { demand, type Task } from '../task.ts';
import { allowsOf, changedPaths, differences } from '../text.ts';

interface ExactTask extends Pick<Task, 'id' | 'name' | 'start'> {
  /** The prompt of each turn, and the only right docs after it. */
  turns: readonly { prompt: string; expected(): Files }[];
}

/** A task with one right result for each turn, byte for byte. */
export function exactTask({ id, name, start, turns }: ExactTask): Task {
  const last = turns.at(-1);
  if (last === undefined) throw new Error(`Task ${id} has no turn.`);
  return {
    id,
    name,
    prompts: turns.map(({ prompt }) => prompt),
    start,
    check({ turns: ran, end }) {
      const before = start();
      const wanted = last.expected();
      const mayChange = new Set(changedPaths(before, wanted));
      const isDone = ran.length === turns.length && ran.every(({ isFinished }) => isFinished);
      return [
        demand('finished', isDone ? null : 'a turn did not finish'),
        ...turns
          .slice(0, -1)
          .map(({ expected }, index) =>
            demand(`turn-${index + 1}`, differences(ran[index]?.files ?? before, expected())),
          ),
        demand(
          'as-expected',
          differences(end, wanted).filter((text) =>
            [...mayChange].some((path) => text.startsWith(`${path} `)),
          ),
        ),
        demand(
          'nothing-else',
          changedPaths(end, wanted).filter((path) => !mayChange.has(path)),
        ),
      ];
    },
    allows: allowsOf(start, last.expected),
  };
}
