/** What an export leaves for the next one: the same bytes with fewer rendered pages, and nothing if it is damaged. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { joinBundle } from '@offprint/bundle';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ArtifactRequest, exportSite } from './export-site.ts';
import { openTestExports, type TestExports } from './job.fixture.ts';
import { isStale, keptBundle, keptFile, openKeptPages } from './kept-pages.ts';
import { createPageStock, removeOldPages } from './page-stock.ts';
import type { RenderInput } from './render-child.ts';
import { columns } from './store.ts';
import { readChunk } from './summary.ts';

const { signal } = new AbortController();
const log = pino({ level: 'silent' });
const options: RenderInput = {
  domain: 'docs.example.com',
  siteUrl: 'https://docs.example.com',
  commit: 'a'.repeat(40),
  committedAt: null,
};
const PAGES = Array.from({ length: 80 }, (_, number) => `page-${number}`);
let root: string;
let docs: string;
let count = 0;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'offprint-kept-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeEach(() => {
  docs = join(root, `docs-${++count}`);
  mkdirSync(docs);
  const navigation = { pages: PAGES };
  writeFileSync(
    join(docs, 'docs.json'),
    JSON.stringify({ name: 'Docs', theme: 'mint', colors: { primary: '#166e3f' }, navigation }),
  );
  for (const page of PAGES)
    writeFileSync(join(docs, `${page}.mdx`), `---\ntitle: ${page}\n---\n\n## Part\n\nText of ${page}.\n`);
});

/** As a child exports, with what was left in `folder`. */
async function exportWith(folder: string | null, changes: Partial<ArtifactRequest> = {}) {
  const artifactDir = join(root, `artifact-${++count}`);
  const pages = openKeptPages(docs, folder);
  try {
    const { source, cache } = pages;
    const { kept, renderedPages, index } = await exportSite({
      ...options,
      source,
      artifactDir,
      cache,
      ...changes,
    });
    pages.keep(kept, artifactDir);
    return { artifactDir, index, renderedPages, hadEarlier: cache.earlier !== null };
  } finally {
    pages.close();
  }
}

/** A folder as the parent fills it. */
async function leave({ artifactDir, index }: Awaited<ReturnType<typeof exportWith>>): Promise<string> {
  const folder = join(root, `left-${++count}`);
  mkdirSync(folder);
  cpSync(join(artifactDir, keptFile), join(folder, keptFile));
  const pieces: Uint8Array[] = [];
  for await (const piece of joinBundle(index, (chunk) => readChunk(artifactDir, chunk))) pieces.push(piece);
  writeFileSync(join(folder, keptBundle), Buffer.concat(pieces));
  return folder;
}

const edit = (page: string) =>
  writeFileSync(join(docs, `${page}.mdx`), `---\ntitle: ${page}\n---\n\n## Part\n\nOther text, ${count}.\n`);
const exportAll = () => exportSite({ ...options, source: docs, artifactDir: join(root, `all-${++count}`) });

test('with what the last export has left, edited pages are rendered, and the bundle is that of a full export', async () => {
  let left: string | null = null;
  const edits = [[], ['page-7'], ['page-7', 'page-70'], []];
  for (const [round, pages] of edits.entries()) {
    for (const page of pages) edit(page);
    const made = await exportWith(left);
    expect(made.renderedPages, `round ${round}`).toBe(round === 0 ? PAGES.length : pages.length);
    expect(made.index, `round ${round}`).toEqual((await exportAll()).index);
    left = await leave(made);
  }
});

test.each<[string, number, (docs: string) => void]>([
  [
    'a title that other pages show renders only its page',
    1,
    (folder) => writeFileSync(join(folder, 'page-3.mdx'), '---\ntitle: Renamed\n---\n\nText.\n'),
  ],
  [
    'the name of the site renders no page',
    0,
    (folder) =>
      change(join(folder, 'docs.json'), (bytes) => Buffer.from(`${bytes}`.replace('"Docs"', '"Other"'))),
  ],
  [
    'a color that texts can use renders all pages',
    PAGES.length,
    (folder) =>
      change(join(folder, 'docs.json'), (bytes) => Buffer.from(`${bytes}`.replace('#166e3f', '#3f166e'))),
  ],
])('%s, and the bundle is that of a full export', async (_, rendered, act) => {
  const left = await leave(await exportWith(null));
  act(docs);
  const made = await exportWith(left);
  expect(made.renderedPages).toBe(rendered);
  expect(made.index).toEqual((await exportAll()).index);
});

test('what is damaged, cut off or of another program is not used', async () => {
  const first = await exportWith(null);
  const damages: [string, (folder: string) => void][] = [
    ['cut off', (folder) => change(join(folder, keptFile), (bytes) => bytes.subarray(0, -1))],
    ['not a file of ours', (folder) => writeFileSync(join(folder, keptFile), 'nothing')],
    ['no bundle', (folder) => rmSync(join(folder, keptBundle))],
    ['another bundle', (folder) => writeFileSync(join(folder, keptBundle), Buffer.alloc(5_000))],
    [
      'another program',
      (folder) =>
        change(join(folder, keptFile), (bytes) => {
          const at = bytes.indexOf('"program":"') + '"program":"'.length;
          bytes.write(bytes[at] === 0x30 ? '1' : '0', at);
          return bytes;
        }),
    ],
  ];
  for (const [name, damage] of damages) {
    const left = await leave(first);
    damage(left);
    const made = await exportWith(left);
    expect([name, made.hadEarlier, made.index]).toEqual([name, false, first.index]);
  }
});

test('a chunk that turns out to be damaged ends the attempt as stale, so that it is repeated without', async () => {
  const left = await leave(await exportWith(null));
  // In the middle of the pages; the manifest in front is intact.
  change(join(left, keptBundle), (bytes) => {
    const at = Math.floor(bytes.length * 0.7);
    bytes.writeUInt8(bytes.readUInt8(at) ^ 0xff, at);
    return bytes;
  });
  edit('page-1');
  const fault: unknown = await exportWith(left).then(
    () => null,
    (error: unknown) => error,
  );
  expect(isStale(fault)).toBe(true);
});

function change(file: string, how: (bytes: Buffer) => Buffer): void {
  writeFileSync(file, how(Buffer.from(readFileSync(file))));
}

test('pages are kept for one project and one set of options, not for strangers, and until the project is deleted', async () => {
  const exports: TestExports = await openTestExports();
  try {
    const { blobs, database } = exports;
    const id = await exports.start();
    const row = await database.db
      .selectFrom('exports')
      .select(columns)
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const stock = (isTrusted = true) => createPageStock({ blobs, log, isTrusted: async () => isTrusted });
    const made = await exportWith(null);
    const left = await leave(made);
    const { sha256 } = made.index.bundle;
    const folder = () => {
      const made = join(root, `provided-${++count}`);
      mkdirSync(made);
      return made;
    };
    const first = await stock().open(row, options);
    expect(await first?.provide(folder(), signal)).toBe(false);
    await first?.keep(made.artifactDir, sha256);
    expect(await first?.provide(folder(), signal), 'the bundle was deleted').toBe(false);
    await blobs.put(`bundles/${row.organization_id}/${sha256}.tar.gz`, readFileSync(join(left, keptBundle)));
    const provided = folder();
    expect(await first?.provide(provided, signal)).toBe(true);
    for (const name of [keptFile, keptBundle])
      expect(readFileSync(join(provided, name)).equals(readFileSync(join(left, name)))).toBe(true);

    const other = await stock().open(row, { ...options, siteUrl: 'https://docs.example.com/below' });
    expect(await other?.provide(folder(), signal)).toBe(false);
    for (const more of [{ publicOnly: true }, { groups: ['staff'] }, { services: { analytics: true } }]) {
      const variant = await stock().open(row, { ...options, ...more });
      expect(await variant?.provide(folder(), signal), JSON.stringify(more)).toBe(false);
    }
    const later = await stock().open(row, { ...options, commit: 'c'.repeat(40), version: '3' });
    expect(await later?.provide(folder(), signal)).toBe(true);
    expect(await stock().open({ ...row, paths: ['page-1'] }, options)).toBeNull();
    expect(await stock(false).open(row, options)).toBeNull();

    await removeOldPages({ db: database.db, blobs }, new Date(), signal);
    expect(await first?.provide(folder(), signal)).toBe(true);
    await removeOldPages({ db: database.db, blobs }, new Date(Date.now() + 31 * 86_400_000), signal);
    expect(await first?.provide(folder(), signal)).toBe(false);
    await first?.keep(made.artifactDir, sha256);
    await database.db.deleteFrom('projects').where('id', '=', exports.projectId).execute();
    await removeOldPages({ db: database.db, blobs }, new Date(), signal);
    expect(await first?.provide(folder(), signal)).toBe(false);
  } finally {
    await exports.close();
  }
});
