import {
  anchorsOfHtml,
  type BrokenLink,
  brokenLinks,
  type LinkPlace,
  type LinkSite,
  servedLinks,
} from '@offprint/bundle';
import { isReservedId } from '@offprint/render';
import { beforeAll, expect, test } from 'vitest';
import { cases } from './link-contract.cases.fixture.ts';
import { filesOf, linkSite } from './link-contract.fixture.ts';

let before: LinkSite;
beforeAll(async () => {
  before = await linkSite(filesOf());
});

const placeText = (place: LinkPlace | null): string =>
  place === null ? '-' : `${place.file}${place.line === null ? '' : `:${place.line}`}`;

/** `URL#anchor: cause, place of the cause, place before, what is there now`. */
const describeBroken = ({ url, anchor, cause, place, before: was, now }: BrokenLink): string =>
  `${url}${anchor === null ? '' : `#${anchor}`}: ${cause} ${placeText(place)} ${placeText(was)} ${now ?? '-'}`;

test.each(cases)('reports exactly what breaks: $name', async ({ files, basePath, broken }) => {
  const after = await linkSite(files, basePath);
  const found = [...brokenLinks(servedLinks(before), after)].flat();
  expect(found.map(describeBroken)).toEqual(broken);
});

test('the anchors of pages are those that a scan of their HTML finds, in documents without facts', async () => {
  const html = new Map<string, string>();
  const { facts } = await linkSite(filesOf(), '', html);
  for (const [path, { anchors }] of facts.pages) {
    const found = anchorsOfHtml(html.get(`${path}.html`) ?? '', isReservedId);
    expect(found.sort()).toEqual([...anchors.keys()].sort());
  }
});

test('what earlier deployments served is checked against the present one, too', async () => {
  const record = [
    ...servedLinks(before),
    ...servedLinks(await linkSite({ ...filesOf(), 'extra.mdx': '## Gone' })),
  ];
  const found = [...brokenLinks(record, before)].flat();
  expect(found.map(describeBroken)).toEqual(['/extra: removed - extra.mdx -']);
});
