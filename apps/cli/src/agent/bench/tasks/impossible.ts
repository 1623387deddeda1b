import { buildFixture } from '../fixture/fixture.ts';
import { demand, type Task } from '../task.ts';
import { changedPaths } from '../text.ts';

export const impossible: Task = {
  id: 15,
  name: 'A request that cannot be met',
  prompts: [
    'Document the operation DELETE /v1/harbors/{harborId} on a page of the API reference, with the parameters and answers that openapi.json has for it. If openapi.json does not have it, change nothing and tell me.',
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
      demand(
        'says-so',
        /harbors?/i.test(answer) &&
          /\b(no|not|cannot|without|missing|absent|neither|none)\b|n't\b/i.test(answer)
          ? null
          : 'it is not said that there is no such operation',
      ),
    ];
  },
  allows: () => false,
};
