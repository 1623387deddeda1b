import { buildFixture } from '../fixture/fixture.ts';
import { demand, type Task } from '../task.ts';
import {
  changedPaths,
  fencesOf,
  isSameJson,
  linksOf,
  proseOf,
  sectionOf,
  splitPage,
  textOf,
  withPageAfter,
} from '../text.ts';

const PAGE = 'guides/maintenance';

const RULES = `# Rules for these docs

- Headings are in sentence case: only the first word and names have a capital.
- Every new page ends with the section "## Next steps", a list of exactly two links to pages of these docs.
- Every code block has a title after its language: a file name, or \`Terminal\` for commands.
- Never write "please", "simply" or "just".
- Speak to the reader as "you"; never say "we" or "our".
`;

export const styleRules: Task = {
  id: 14,
  name: 'Follow the rules of the project',
  prompts: [
    `Add the page ${PAGE}.mdx about maintenance of a service that receives events: pause the relay with \`ferrywell relay pause orders\`, do the work, and resume it with \`ferrywell relay resume orders\`. Give the page at least two sections with headings of two words or more, and show both commands in code blocks. List it right after guides/dead-letters.`,
  ],
  start: () => buildFixture().set('.offprint/AGENTS.md', RULES),
  check({ start: before, end, newFindings }) {
    const { front, body } = splitPage(textOf(end, `${PAGE}.mdx`));
    const headings = [...proseOf(body).matchAll(/^#+ (.+)$/gm)].map(([, text]) => text ?? '');
    const next = sectionOf(body, 'Next steps');
    const fences = fencesOf(body);
    const config = withPageAfter(textOf(before, 'docs.json'), 'guides/dead-letters', PAGE);
    const said = `${Object.values(front).join('\n')}\n${proseOf(body)}`;
    return [
      demand(
        'page',
        front.title && front.description && headings.length >= 2
          ? null
          : 'the title, the description or sections are missing',
      ),
      demand(
        'commands',
        ['pause', 'resume'].filter(
          (word) => !fences.some((fence) => fence.includes(`ferrywell relay ${word} orders`)),
        ),
      ),
      demand(
        'sentence-case',
        headings.filter((text) => / (?!Ferrywell)[A-Z][a-z]/.test(text)),
      ),
      demand(
        'next-steps',
        next !== '' && body.trim().endsWith(next.trim()) && linksOf(next).length === 2
          ? null
          : 'the page must end with two links',
      ),
      demand(
        'titled-code',
        fences.filter((fence) => !/^ *`{3,}\S+ +\S/.test(fence)).map((fence) => fence.slice(0, 20)),
      ),
      demand(
        'words',
        [...said.matchAll(/\b(please|simply|just)\b/gi)].map(([word]) => `contains ${word}`),
      ),
      demand(
        'no-we',
        [...said.matchAll(/\b(we|our|us)\b/gi)].map(([word]) => `contains ${word}`),
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
    path === `${PAGE}.mdx` ||
    (path === 'docs.json' && /^\s*"guides\/(maintenance|dead-letters)",?$/.test(line)),
};
