import { buildFixture } from '../fixture/fixture.ts';
import { demand, type Task } from '../task.ts';
import { changedPaths, isSameJson, linksOf, splitPage, textOf, withPageAfter } from '../text.ts';

const PAGE = 'guides/quiet-hours';
const start = () => buildFixture();

export const newPage: Task = {
  id: 4,
  name: 'Add a page with its navigation entry',
  prompts: [
    `Add the page ${PAGE}.mdx, titled "Quiet hours", with a description. It says: a destination can have quiet hours, set by \`quiet\` with \`from\`, \`to\` and \`zone\`; show a yaml block with 22:00 to 06:00 in Europe/Vienna. In that time deliveries wait; waiting does not count as an attempt, so link to the page on retries. List it in the English guides, in the group Delivery, right after guides/retries.`,
  ],
  start,
  check({ start: before, end, newFindings }) {
    const { front, body } = splitPage(textOf(end, `${PAGE}.mdx`));
    const config = withPageAfter(textOf(before, 'docs.json'), 'guides/retries', PAGE);
    const facts = ['22:00', '06:00', 'Europe/Vienna', 'quiet', 'zone'].filter((fact) => !body.includes(fact));
    return [
      demand(
        'front-matter',
        front.title === 'Quiet hours' && front.description
          ? null
          : 'the title is wrong or the description is missing',
      ),
      demand(
        'facts',
        facts.map((fact) => `${fact} is missing`),
      ),
      demand('yaml', /```ya?ml\b[^`]*22:00/.test(body) ? null : 'a YAML block with the hours is missing'),
      demand(
        'link',
        linksOf(body).some(({ target }) => /^(\/guides\/|\.\/)?retries(#|$)/.test(target))
          ? null
          : 'a link to the page about retries is missing',
      ),
      demand(
        'navigation',
        isSameJson(textOf(end, 'docs.json'), config) ? null : 'docs.json must differ only in the new entry',
      ),
      demand(
        'nothing-else',
        changedPaths(before, end).filter((path) => path !== 'docs.json' && path !== `${PAGE}.mdx`),
      ),
      demand(
        'no-new-findings',
        newFindings.map(({ file, message }) => `${file}: ${message}`),
      ),
    ];
  },
  allows: (path, line) =>
    path === `${PAGE}.mdx` || (path === 'docs.json' && /^\s*"guides\/(quiet-hours|retries)",?$/.test(line)),
};
