import { buildFixture } from '../fixture/fixture.ts';
import { demand, type Task } from '../task.ts';
import { changedPaths } from '../text.ts';

export const question: Task = {
  id: 10,
  name: 'A question that needs no change',
  prompts: [
    'How many times is a delivery attempted by default, within what time, and which page of the English docs says so? I only want to know; change nothing.',
  ],
  start: () => buildFixture(),
  check({ start, turns, end }) {
    const answer = turns.at(-1)?.answer ?? '';
    return [
      demand('no-change', changedPaths(start, end)),
      demand(
        'finished',
        turns.every(({ isFinished }) => isFinished) ? null : 'the turn was not ended by the model',
      ),
      demand('attempts', /\b(9|nine)\b/i.test(answer) ? null : 'the number of attempts is not told'),
      demand('time', /\b26(\s|-)*h(ours?)?\b/i.test(answer) ? null : 'the time is not told'),
      demand('page', /guides\/retries/.test(answer) ? null : 'the page is not told'),
    ];
  },
  allows: () => false,
};
