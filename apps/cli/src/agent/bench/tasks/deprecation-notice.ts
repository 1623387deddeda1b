import { buildFixture } from '../fixture/fixture.ts';
import { demand, type Task } from '../task.ts';
import { changedPaths, linksOf, splitPage, textOf } from '../text.ts';

export const OLD_LIBRARIES = ['javascript', 'python', 'go', 'ruby'] as const;
const start = () => buildFixture();
const NOTICE = /<Warning\b[^>]*>([\s\S]*?)<\/Warning>/g;

/** Ignores blank lines. */
const squeeze = (text: string): string => text.replace(/\n{2,}/g, '\n').trim();

export const deprecationNotice: Task = {
  id: 8,
  name: 'Add a notice to 4 pages',
  prompts: [
    'The libraries of version 1 are deprecated and end on 31 March. Put a Warning component with that right below the front matter of each of their four pages (sdks/v1), with a link to the install page of the new library of the same language, such as /sdks/go/install. Change nothing else.',
  ],
  start,
  check({ start: before, end }) {
    const form: string[] = [];
    const words: string[] = [];
    const links: string[] = [];
    const rest: string[] = [];
    for (const language of OLD_LIBRARIES) {
      const path = `sdks/v1/${language}.mdx`;
      const { body } = splitPage(textOf(end, path));
      const notices = [...body.matchAll(NOTICE)];
      if (notices.length !== 1 || !body.trimStart().startsWith('<Warning'))
        form.push(`${path} has ${notices.length} notices, or the notice is not at the top`);
      const text = notices[0]?.[1] ?? '';
      if (!/deprecated/i.test(text) || !/31 March|March 31/.test(text))
        words.push(`${path} does not state a fact`);
      if (!linksOf(text).some(({ target }) => target === `/sdks/${language}/install`)) links.push(`${path}`);
      if (squeeze(textOf(end, path).replace(NOTICE, '')) !== squeeze(textOf(before, path)))
        rest.push(`${path} changed below the notice`);
    }
    const pages = OLD_LIBRARIES.map((language) => `sdks/v1/${language}.mdx`);
    return [
      demand('one-warning-on-top', form),
      demand('facts', words),
      demand(
        'links',
        links.map((path) => `${path} does not link to its successor`),
      ),
      demand('rest-unchanged', rest),
      demand(
        'only-those-pages',
        changedPaths(before, end).filter((path) => !pages.includes(path)),
      ),
    ];
  },
  allows: (path, line) =>
    OLD_LIBRARIES.some((language) => path === `sdks/v1/${language}.mdx`) &&
    (line === '' || /Warning|deprecated|31 March|March 31|\/install/.test(line)),
};
