import { buildFixture, type Files } from '../fixture/fixture.ts';
import { withEdit } from '../text.ts';
import { exactTask } from './exact.ts';

const LIMITS = 'guides/limits.mdx';
const THROUGHPUT = 'guides/throughput.mdx';
const FILTER_ROW = '| length of a filter | 4,000 characters |\n';
const PARALLEL = 'but do not mind.';

const withWorkers = (count: number): Files =>
  withEdit(
    withEdit(buildFixture(), LIMITS, FILTER_ROW, `${FILTER_ROW}| workers of a relay | ${count} |\n`),
    THROUGHPUT,
    PARALLEL,
    `${PARALLEL} A relay has at most ${count} workers.`,
  );

export const reviewedNumber = exactTask({
  id: 24,
  name: 'Follow a review comment on a line',
  start: () => buildFixture(),
  turns: [
    {
      prompt: `Add the row "| workers of a relay | 40 |" to the table of ${LIMITS}, right after the length of a filter. In ${THROUGHPUT}, add the sentence "A relay has at most 40 workers." to the end of the paragraph below "## Parallel deliveries".`,
      expected: () => withWorkers(40),
    },
    {
      prompt: `Review comment on ${LIMITS}:\n\n> | workers of a relay | 40 |\n\nThis is 60 since last week. Make sure that both pages agree.`,
      expected: () => withWorkers(60),
    },
  ],
});

const TIMEOUTS = 'guides/timeouts.mdx';
const BATCHING = 'guides/batching.mdx';

const withTimeout = (): Files =>
  withEdit(buildFixture(), TIMEOUTS, 'A destination has 15 seconds', 'A destination has 20 seconds');

export const reviewedScope = exactTask({
  id: 25,
  name: 'Take a file out of the change after a review comment',
  start: () => buildFixture(),
  turns: [
    {
      prompt: `Destinations have 20 seconds now instead of 15: correct the first sentence of ${TIMEOUTS}. In the example of ${BATCHING}, wait 3s instead of 2s.`,
      expected: () => withEdit(withTimeout(), BATCHING, 'wait: 2s', 'wait: 3s'),
    },
    {
      prompt: `Review comment on ${BATCHING}:\n\n> batch: { events: 500, wait: 3s }\n\nThis example was right. Take this file out of the pull request; the other change is fine.`,
      expected: withTimeout,
    },
  ],
});
