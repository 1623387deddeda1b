import { expect, test } from 'vitest';
import { openTestExports } from './job.fixture.ts';
import { filesOf, linkSite, pages } from './link-contract.fixture.ts';
import {
  advanceRecord,
  RECORD_DAYS,
  type RecordedLink,
  readLinkRecord,
  recordServedLinks,
} from './link-record.ts';
import { findBrokenLinks } from './link-site.ts';

const DAY = 86_400_000;
const start = Date.UTC(2026, 0, 1);

const urls = (links: readonly RecordedLink[], servedAt: number) =>
  links.filter((link) => link.servedAt === servedAt).map(({ url }) => url);

test('a record keeps what earlier deployments served until its days are over', async () => {
  const first = await linkSite(filesOf());
  const { 'marks.mdx': _marks, ...rest } = pages;
  const second = await linkSite(
    filesOf(undefined, { ...rest, 'twins.mdx': '---\ntitle: Twins\n---\n\n## Result\n' }),
  );
  const record = await advanceRecord([], first, start);
  const later = await advanceRecord(record, second, start + DAY);
  expect(urls(later, start)).toEqual(['/marks', '/marks.md']);
  const twins = later.find(({ url }) => url === '/twins');
  expect([...(twins?.anchorsServedAt ?? [])]).toEqual([
    ['example', start],
    ['example-2', start],
  ]);
  // A third deployment breaks nothing more: the record still reports the first one's.
  const broken = await findBrokenLinks(later, second);
  expect(broken.map(({ url, anchor }) => [url, anchor])).toEqual([
    ['/marks', null],
    ['/twins', 'example'],
    ['/twins', 'example-2'],
  ]);
  // Restored within the days, it is served again.
  const restored = await advanceRecord(later, first, start + 2 * DAY);
  expect(urls(restored, start)).toEqual([]);
  const retired = await advanceRecord(later, second, start + (RECORD_DAYS + 1) * DAY);
  expect(await findBrokenLinks(retired, second)).toEqual([]);
});

test('a record is stored with its project, and read as it was written', async () => {
  const exports = await openTestExports();
  try {
    const { db } = exports.database;
    const { organizationId, projectId } = exports;
    const site = await linkSite(filesOf());
    expect(await readLinkRecord(db, organizationId, projectId)).toBeNull();
    await recordServedLinks(db, { organizationId, projectId }, site, new Date(start));
    await recordServedLinks(db, { organizationId, projectId }, site, new Date(start + DAY));
    const record = await readLinkRecord(db, organizationId, projectId);
    expect(record?.servedAt).toBe(start + DAY);
    const expected = await advanceRecord([], site, start + DAY);
    const byUrl = (a: RecordedLink, b: RecordedLink) => (a.url < b.url ? -1 : 1);
    expect(record?.links.toSorted(byUrl)).toEqual(expected.toSorted(byUrl));
    expect(await readLinkRecord(db, 'org_other', projectId)).toBeNull();
    await db.deleteFrom('projects').where('id', '=', projectId).execute();
    expect(await readLinkRecord(db, organizationId, projectId)).toBeNull();
  } finally {
    await exports.close();
  }
});
