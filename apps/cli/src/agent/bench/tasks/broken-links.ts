import { buildFixture, type Files } from '../fixture/fixture.ts';
import { demand, type Task } from '../task.ts';
import { allowsOf, changedPaths, linksOf, textOf, withEdit } from '../text.ts';

/** Broken links: page, correct target, broken target. */
export const BROKEN = [
  ['quickstart.mdx', '(/guides/retries)', '(/guides/retry)'],
  ['concepts.mdx', 'the [filter](/guides/filters)', 'the [filter](/guide/filters)'],
  ['how-delivery-works.mdx', '(/guides/dead-letters)', '(/guides/deadletters)'],
  ['guides/transforms.mdx', '(/guides/dead-letters#replay)', '(/guides/dead-letters#replays)'],
  ['sdks/go/install.mdx', '(./publish)', '(./publishing)'],
  ['guides/secrets.mdx', '(/guides/signing#rotate-a-secret)', '(/guides/signing#rotating-secrets)'],
  ['index.mdx', 'href="/operate/self-host"', 'href="/operate/selfhost"'],
] as const;

function start(): Files {
  let files = buildFixture();
  for (const [path, right, wrong] of BROKEN) files = withEdit(files, path, right, wrong);
  return files;
}

const LINK_FINDINGS = new Set(['broken-link', 'link-not-found', 'anchor-not-found', 'page-missing']);

export const brokenLinks: Task = {
  id: 2,
  name: 'Fix 7 broken links',
  prompts: [
    'Seven links in these docs lead nowhere, some of them to headings that do not exist. Find them and point each one to the page or heading that it means. Change the targets only: no link texts, no new pages, no redirects.',
  ],
  start,
  check({ start: before, end, findings }) {
    const texts: string[] = [];
    for (const path of before.keys()) {
      if (!path.endsWith('.mdx')) continue;
      const labels = (files: Files): string =>
        linksOf(textOf(files, path))
          .map(({ text }) => text)
          .join('\n');
      if (labels(end) !== labels(before)) texts.push(`link texts of ${path} changed`);
    }
    const wrong = BROKEN.filter(([path, right]) => !hasTarget(textOf(end, path), right)).map(
      ([path, right]) => `${path} does not link to ${right}`,
    );
    const pages = new Set<string>(BROKEN.map(([path]) => path));
    return [
      demand(
        'nothing-broken',
        findings
          .filter(({ code }) => LINK_FINDINGS.has(code))
          .map(({ file, message }) => `${file}: ${message}`),
      ),
      demand('right-targets', wrong),
      demand('texts-unchanged', texts),
      demand(
        'nothing-invented',
        changedPaths(before, end)
          .filter((path) => !pages.has(path))
          .map((path) => `${path} changed`),
      ),
    ];
  },
  allows: allowsOf(start, () => buildFixture()),
};

/** Accepts relative and absolute paths of a target. */
function hasTarget(text: string, right: string): boolean {
  const target = right.replace(/^.*[("](\.?\/[^)"]*)[)"]$/, '$1');
  const spellings = [target, target.replace(/^\.\//, ''), target.replace(/^\.\//, '/sdks/go/')];
  return linksOf(text).some((link) => spellings.includes(link.target));
}
