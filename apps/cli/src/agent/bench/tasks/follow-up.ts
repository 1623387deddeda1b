import { buildFixture } from '../fixture/fixture.ts';
import { demand, type Task } from '../task.ts';
import { changedPaths, sectionOf, textOf } from '../text.ts';

const PAGE = 'guides/throughput.mdx';
const HEADING = 'Back-pressure';
const start = () => buildFixture();
const MOST_WORDS = 40;

const bodyOf = (section: string): string => section.split('\n').slice(1).join('\n').trim();

const wordsOf = (section: string): number =>
  section
    .split('\n')
    .slice(1)
    .join(' ')
    .split(/\s+/)
    .filter((word) => word !== '').length;

export const followUp: Task = {
  id: 9,
  name: 'Follow up on earlier work',
  prompts: [
    `Add a section "## ${HEADING}" to ${PAGE}, right before "## See also". It says in two or three full paragraphs: a destination that returns 429 is slowed down; its rate is halved, at most once every 10 seconds, and grows back by 10 % a minute; a 503 with Retry-After counts the same. Explain to a newcomer why that is good for both sides.`,
    `Shorten that section to one paragraph of at most ${MOST_WORDS} words. Keep the numbers 429, 503, 10 seconds and 10 %.`,
  ],
  start,
  check({ start: before, turns, end }) {
    const first = turns[0]?.files ?? before;
    const long = sectionOf(textOf(first, PAGE), HEADING);
    const short = sectionOf(textOf(end, PAGE), HEADING);
    const rest = (text: string, section: string): string =>
      text.replace(section, () => '').replace(/\n{2,}/g, '\n');
    const facts = ['429', '503', /10\s*(seconds|s\b)/, /10\s*%/].filter((fact) => short.search(fact) === -1);
    return [
      demand(
        'both-turns-done',
        turns.length === 2 && turns.every(({ isFinished }) => isFinished) ? null : 'not done',
      ),
      demand(
        'section-written',
        wordsOf(long) > MOST_WORDS ? null : 'the first turn did not write a full section',
      ),
      demand(
        'short-enough',
        short !== '' && wordsOf(short) <= MOST_WORDS && wordsOf(short) >= 8
          ? null
          : `it has ${wordsOf(short)} words`,
      ),
      demand('facts-kept', short === '' ? 'section missing' : facts.map((fact) => `${fact} is missing`)),
      demand('one-paragraph', bodyOf(short).split(/\n\s*\n/).length === 1 ? null : 'not one paragraph'),
      demand(
        'in-its-place',
        /\n## Back-pressure\n[\s\S]*?\n## See also\n/.test(textOf(end, PAGE)) &&
          textOf(end, PAGE).indexOf('## Parallel deliveries') < textOf(end, PAGE).indexOf(`## ${HEADING}`)
          ? null
          : 'the section is at the wrong place',
      ),
      demand(
        'rest-unchanged',
        rest(textOf(end, PAGE), short) === rest(textOf(before, PAGE), '')
          ? null
          : 'the rest of the page changed',
      ),
      demand(
        'nothing-else',
        changedPaths(before, end).filter((path) => path !== PAGE),
      ),
    ];
  },
  allows: (path, line) =>
    path === PAGE &&
    !textOf(start(), PAGE)
      .split('\n')
      .includes(line || '\0'),
};
