import { buildFixture } from '../fixture/fixture.ts';
import { demand, type Task } from '../task.ts';
import { changedPaths } from '../text.ts';

export const impossible: Task = {
  id: 15,
  name: 'A request that is not possible',
  prompts: [
    'Document the operation DELETE /v1/harbors/{harborId} on a page of the API reference, with the parameters and responses that openapi.json has for it. If openapi.json does not have it, change nothing and tell me.',
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
        'reports-missing',
        /harbors?/i.test(response) &&
          /\b(no|not|cannot|without|missing|absent|neither|none)\b|n't\b/i.test(response)
          ? null
          : 'the response does not state that the operation does not exist',
      ),
    ];
  },
  allows: () => false,
};
