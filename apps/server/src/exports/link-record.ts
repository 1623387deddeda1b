import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { LinkPlace, LinkSite, ServedLink } from '@offprint/bundle';
import { servedLinks } from '@offprint/bundle';
import { type Kysely, sql } from 'kysely';
import type { BlobStore } from '../platform/blob/store.ts';
import type { Database } from '../platform/db/database.ts';
import { withKeepAlive } from '../platform/db/keep-alive.ts';
import { readStoredLinks } from './artifact.ts';
import { findBrokenLinks, knownSite } from './link-site.ts';
import type { LookUpExport } from './look-up.ts';
import type { Db } from './store.ts';
import type { OpenExport } from './stored-artifact.ts';

const zip = promisify(gzip);
const unzip = promisify(gunzip);

/** Days for which a URL that production no longer serves is still checked. */
export const RECORD_DAYS = 180;
/** Bytes of a record without compression. The newest links are kept. */
const MAX_RECORD = 128 * 1024 * 1024;
const DAY_MS = 86_400_000;

/** A URL that production has served. */
export interface RecordedLink extends ServedLink {
  /** When production served it last; milliseconds since 1970. */
  servedAt: number;
  /** The same for anchors that were served at other times. */
  anchorsServedAt: ReadonlyMap<string, number>;
}

export interface LinkRecord {
  /** Of the newest deployment in it. */
  servedAt: number;
  links: RecordedLink[];
}

/** What production of a project has served; null before its first deployment. */
export async function readLinkRecord(
  db: Db,
  organizationId: string,
  projectId: string,
): Promise<LinkRecord | null> {
  const row = await db
    .selectFrom('link_records')
    .select(['served_at', 'links'])
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  if (row === undefined) return null;
  return { servedAt: row.served_at.getTime(), links: await readLinks(row.links) };
}

/**
 * Adds what a new production deployment serves. URLs and anchors that it does not serve stay in the record for
 * RECORD_DAYS after the last deployment that did. Deployments of a project must be recorded one after the other: the
 * caller has locked its row.
 */
export async function recordServedLinks(
  db: Db,
  { organizationId, projectId }: { organizationId: string; projectId: string },
  site: LinkSite,
  now: Date,
): Promise<void> {
  const before = await readLinkRecord(db, organizationId, projectId);
  const content = await withKeepAlive(db, async () =>
    writeLinks(await advanceRecord(before?.links ?? [], site, now.getTime())),
  );
  const values = { served_at: now, links: content };
  await db
    .insertInto('link_records')
    .values({ project_id: projectId, organization_id: organizationId, ...values })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet(values))
    .execute();
}

/**
 * Adds what an export of a new production deployment serves. False if it was deleted. Throws the 410 for a lost artifact.
 */
export async function recordServedExport(
  adapters: { db: Kysely<Database>; blobs: BlobStore; lookUp: LookUpExport; openExport: OpenExport },
  { organizationId, projectId, exportId }: { organizationId: string; projectId: string; exportId: string },
): Promise<boolean> {
  const row = await adapters.lookUp(organizationId, exportId);
  if (row === undefined || row.bundle_sha256 === null) return false;
  const { manifest } = await adapters.openExport(row);
  const links = await readStoredLinks(adapters.blobs, organizationId, row.bundle_sha256);
  const site = await knownSite(manifest, links);
  return adapters.db.transaction().execute(async (tx) => {
    // Locks the record, also the first one, and not the rows that refer to the project.
    const project = await tx
      .selectFrom('projects')
      .select(sql<Date>`clock_timestamp()`.as('now'))
      .where('organization_id', '=', organizationId)
      .where('id', '=', projectId)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (project === undefined) return false;
    await recordServedLinks(tx, { organizationId, projectId }, site, project.now);
    return true;
  });
}

/** The record after a deployment at a time. */
export async function advanceRecord(
  record: readonly RecordedLink[],
  site: LinkSite,
  now: number,
): Promise<RecordedLink[]> {
  const broken = new Set(
    (await findBrokenLinks(record, site)).map(({ url, anchor }) => JSON.stringify([url, anchor])),
  );
  const isBroken = (url: string, anchor: string | null) => broken.has(JSON.stringify([url, anchor]));
  const oldest = now - RECORD_DAYS * DAY_MS;
  const links = new Map<string, RecordedLink>();
  for (const link of record) {
    // The copy of a page that is gone is not listed beside it.
    const original = link.kind === 'copy' ? link.url.slice(0, -'.md'.length) : link.url;
    const isGone = isBroken(link.url, null) || isBroken(original, null);
    const servedAt = isGone ? link.servedAt : now;
    if (servedAt < oldest) continue;
    const anchors = new Map<string, LinkPlace | null>();
    const anchorsServedAt = new Map<string, number>();
    for (const [anchor, place] of link.anchors) {
      const known = link.anchorsServedAt.get(anchor) ?? link.servedAt;
      const at = servedAt < now || isBroken(link.url, anchor) ? known : now;
      if (at < oldest) continue;
      anchors.set(anchor, place);
      if (at !== servedAt) anchorsServedAt.set(anchor, at);
    }
    links.set(link.url, { ...link, servedAt, anchors, anchorsServedAt });
  }
  for (const link of servedLinks(site)) {
    const known = links.get(link.url);
    const anchors = new Map([...link.anchors, ...without(known?.anchors ?? new Map(), link.anchors)]);
    const anchorsServedAt = without(known?.anchorsServedAt ?? new Map<string, number>(), link.anchors);
    links.set(link.url, { ...link, servedAt: now, anchors, anchorsServedAt });
  }
  return [...links.values()];
}

function without<Value>(
  map: ReadonlyMap<string, Value>,
  keys: { has(key: string): boolean },
): Map<string, Value> {
  return new Map([...map].filter(([key]) => !keys.has(key)));
}

async function writeLinks(links: readonly RecordedLink[]): Promise<Buffer> {
  const lines: string[] = [];
  let size = 0;
  for (const link of links.toSorted((a, b) => b.servedAt - a.servedAt)) {
    const { url, kind, place, servedAt, anchors, anchorsServedAt } = link;
    const line = `${JSON.stringify([
      url,
      kind,
      place,
      servedAt,
      [...anchors].map(([id, at]) => [id, at?.line ?? null, at?.file ?? null, anchorsServedAt.get(id) ?? 0]),
    ])}\n`;
    size += line.length;
    if (size > MAX_RECORD) break;
    lines.push(line);
  }
  return zip(lines.join(''));
}

type StoredAnchor = [id: string, line: number | null, file: string | null, servedAt: number];
type StoredLink = [
  url: string,
  kind: ServedLink['kind'],
  place: LinkPlace | null,
  servedAt: number,
  anchors: StoredAnchor[],
];

/** Reads what writeLinks wrote: rows of this table have no other author. */
async function readLinks(content: Buffer): Promise<RecordedLink[]> {
  const text = (await unzip(content)).toString();
  const links: RecordedLink[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [url, kind, place, servedAt, stored]: StoredLink = JSON.parse(line);
    links.push({
      url,
      kind,
      place,
      servedAt,
      anchors: new Map(stored.map(([id, at, file]) => [id, file === null ? null : { file, line: at }])),
      anchorsServedAt: new Map(stored.flatMap(([id, , , at]) => (at === 0 ? [] : [[id, at]]))),
    });
    if (links.length % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return links;
}
