import { buildFixture } from '../fixture/fixture.ts';
import { demand, type Task } from '../task.ts';
import { changedPaths } from '../text.ts';

export const question: Task = {
  id: 10,
  name: 'A question that requires no change',
  prompts: [
    'How many times is a delivery attempted by default, within what time, and which page of the English docs describes it? This is only a question; change nothing.',
  ],
  start: () => buildFixture(),
  check({ start, turns, end }) {
    const response = turns.at(-1)?.response ?? '';
    return [
      demand('no-change', changedPaths(start, end)),
      demand(
        'finished',
        turns.every(({ isFinished }) => isFinished) ? null : 'the model did not finish the turn',
      ),
      demand(
        'attempts',
        /\b(9|nine)\b/i.test(response) ? null : 'the response does not contain the number of attempts',
      ),
      demand(
        'time',
        /\b26(\s|-)*h(ours?)?\b/i.test(response) ? null : 'the response does not contain the time',
      ),
      demand('page', /guides\/retries/.test(response) ? null : 'the response does not name the page'),
    ];
  },
  allows: () => false,
};
