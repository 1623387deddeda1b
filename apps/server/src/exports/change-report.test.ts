import { expect, test } from 'vitest';
import { makeReport, type ReportSide } from './change-report.ts';
import { docs, filesOf, linkSite, pages } from './link-contract.fixture.ts';
import { advanceRecord } from './link-record.ts';

const side = async (files: Readonly<Record<string, string>>): Promise<ReportSide> => {
  const site = await linkSite(files);
  return {
    files: site.manifest.files.map(({ path }) => ({ path, sha256: path })),
    site: { ...site, hasAnchors: true },
  };
};
const none = { before: [], after: [] };
const { 'marks.mdx': _marks, ...withoutMarks } = pages;
const reworded = { ...pages, 'twins.mdx': '---\ntitle: Twins\n---\n\n## Example\n\n## Outcome\n' };

test('a broken URL fails by default, a broken anchor warns, and both are listed', async () => {
  const before = await side(filesOf());
  const gone = await makeReport(before, await side(filesOf(docs, withoutMarks)), null, none);
  expect(gone.failed).toBe(true);
  expect(gone.links.broken.map(({ url, before: was }) => [url, was?.file])).toEqual([
    ['/marks', 'marks.mdx'],
  ]);
  const anchors = await makeReport(before, await side(filesOf(docs, reworded)), null, none);
  expect(anchors.failed).toBe(false);
  expect(anchors.checks.find(({ check }) => check === 'anchors')).toEqual({
    check: 'anchors',
    level: 'warn',
    found: 2,
  });
});

test('the docs set the level of each check; one that is off lists nothing', async () => {
  const before = await side(filesOf());
  const levels = { '.offprint/checks.yaml': 'links: off\nanchors: fail\n' };
  const report = await makeReport(
    before,
    await side(
      filesOf(docs, { ...reworded, ...levels, 'marks.mdx': '---\nurl: https://example.com\n---\n' }),
    ),
    null,
    none,
  );
  expect(report.failed).toBe(true);
  expect(report.links.broken.map(({ anchor }) => anchor)).toEqual(['example-2', 'result']);
  const off = await makeReport(before, await side(filesOf(docs, { ...withoutMarks, ...levels })), null, none);
  expect([off.failed, off.links.total]).toEqual([false, 0]);
});

test('what was broken before is listed with its time, and does not fail', async () => {
  const first = await side(filesOf());
  const second = await side(filesOf(docs, withoutMarks));
  const at = Date.UTC(2026, 0, 1);
  const links = await advanceRecord(await advanceRecord([], first.site, at), second.site, at + 1_000);
  const report = await makeReport(second, second, { servedAt: at + 1_000, links }, none);
  expect(report.failed).toBe(false);
  expect(report.links.broken.map(({ url, lastServedAt }) => [url, lastServedAt])).toEqual([
    ['/marks', '2026-01-01T00:00:00.000Z'],
  ]);
});

test('a query whose expected page is not first is reported with both places', async () => {
  const queries = { '.offprint/queries.yaml': '- { query: begin, expect: /guides/start }\n' };
  const before = await side(filesOf());
  const after = await side(filesOf(docs, { ...pages, ...queries }));
  const report = await makeReport(before, after, null, {
    before: [['guides/start']],
    after: [['index', 'guides/start']],
  });
  expect(report.queries).toEqual([{ query: 'begin', expect: 'guides/start', before: 1, after: 2 }]);
  expect(report.checks.find(({ check }) => check === 'queries')?.found).toBe(1);
});

test('without a list of anchors, only URLs are compared', async () => {
  const before = await side(filesOf());
  const blind = { ...before, site: { ...before.site, hasAnchors: false } };
  const report = await makeReport(blind, await side(filesOf(docs, reworded)), null, none);
  expect(report.links).toEqual({ hasAnchors: false, total: 0, broken: [] });
});
