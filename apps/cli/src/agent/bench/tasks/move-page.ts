import { buildFixture } from '../fixture/fixture.ts';
import { demand, type Task } from '../task.ts';
import { changedPaths, linksOf, pagesOf, parseJson, textOf } from '../text.ts';

const FROM = 'guides/signing';
const TO = 'security/signatures';
const start = () => buildFixture();

/** Removes link targets from a text, to compare two versions without them. */
const withoutTargets = (text: string): string =>
  text.replace(/\]\([^)\s]*\)/g, ']()').replace(/\bhref="[^"]*"/g, 'href=""');

/** The page in the other language has a similar path. */
const OLD_ADDRESS = /(?<!\/de|[\w-])\/?\bguides\/signing\b|(?<![\w/])\.\.?\/signing\b/;

export const movePage: Task = {
  id: 5,
  name: 'Move a page',
  prompts: [
    `Move the page ${FROM}.mdx to ${TO}.mdx. It keeps its place in the navigation. Every link to it follows, with its anchor, and the old path redirects to the new one. The German page de/guides/signing stays where it is.`,
  ],
  start,
  check({ start: before, end, newFindings }) {
    const config = parseJson(textOf(end, 'docs.json')) as {
      redirects?: { source: string; destination: string }[];
    };
    const old = parseJson(textOf(before, 'docs.json')) as { redirects: unknown[] };
    const redirects = config?.redirects ?? [];
    const stale: string[] = [];
    const words: string[] = [];
    for (const [path, text] of end) {
      if (typeof text !== 'string' || !path.endsWith('.mdx')) continue;
      if (linksOf(text).some(({ target }) => OLD_ADDRESS.test(target)))
        stale.push(`${path} links to the old page`);
      const origin = path === `${TO}.mdx` ? `${FROM}.mdx` : path;
      if (withoutTargets(text) !== withoutTargets(textOf(before, origin)))
        words.push(`words of ${path} changed`);
    }
    const anchors = (files: typeof end, page: string): string =>
      [...files.values()]
        .flatMap((text) => (typeof text === 'string' ? linksOf(text) : []))
        .flatMap(({ target }) => (target.startsWith(`/${page}#`) ? [target.split('#')[1]] : []))
        .sort()
        .join();
    const wantedPages = pagesOf(textOf(before, 'docs.json')).map((page) => (page === FROM ? TO : page));
    return [
      demand('moved', !end.has(`${FROM}.mdx`) && end.has(`${TO}.mdx`) ? null : 'the file was not moved'),
      demand(
        'redirect',
        redirects.some(({ source, destination }) => source === `/${FROM}` && destination === `/${TO}`)
          ? null
          : 'the old path does not redirect to the new one',
      ),
      demand(
        'other-redirects',
        old.redirects.every((row) => redirects.some((one) => JSON.stringify(one) === JSON.stringify(row))) &&
          redirects.length <= old.redirects.length + 1
          ? null
          : 'other redirects changed',
      ),
      demand('links-follow', stale),
      demand('anchors-kept', anchors(end, TO) === anchors(before, FROM) ? null : 'anchors of links changed'),
      demand(
        'navigation',
        pagesOf(textOf(end, 'docs.json')).join() === wantedPages.join()
          ? null
          : 'the navigation entry is at the wrong place',
      ),
      demand('words-unchanged', words),
      demand(
        'nothing-else',
        changedPaths(before, end).filter(
          (path) =>
            !['docs.json', `${FROM}.mdx`, `${TO}.mdx`].includes(path) &&
            !OLD_ADDRESS.test(textOf(before, path)),
        ),
      ),
      demand(
        'no-new-findings',
        newFindings.map(({ file, message }) => `${file}: ${message}`),
      ),
    ];
  },
  allows: (path, line) =>
    path === `${FROM}.mdx` ||
    path === `${TO}.mdx` ||
    /guides\/signing|security\/signatures|\.\/signing/.test(line) ||
    (path === 'docs.json' && /^\s*[{}],?$|^\s*"destination": "\/guides\/relays"/.test(line)),
};
