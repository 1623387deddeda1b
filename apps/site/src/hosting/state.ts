import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { syncPath } from '@offprint/bundle';
import { openFile } from '../releases/open-file.ts';
import { type Audience, fieldsOf, type HostedSite, parseAudience, parseSites } from './protocol.ts';

/** A release of a host. */
export interface HostRelease {
  /** Digest of the bundle. */
  sha256: string;
  deploymentId: string;
  basePath: string;
}

/** What a host serves. */
export interface HostState {
  host: string;
  /** A host that moves to another project must not serve the releases of the first one. */
  projectId: string;
  current: HostRelease;
  /** Its hashed files remain available. */
  previous: HostRelease | null;
  /** What some of its readers get instead. */
  variants: VariantState[];
}

/** What the readers of one audience get: always releases that were made for this audience. */
export interface VariantState extends Audience {
  current: HostRelease;
  previous: HostRelease | null;
}

/** The last list of the platform, and what is served: enough to start without the platform. */
export interface HostingState {
  sites: HostedSite[];
  hosts: HostState[];
}

const stateFile = 'sites.json';
const maxStateBytes = 64 * 1024 * 1024;

/** Null if none exists, or if it is damaged. */
export async function readState(dir: string): Promise<HostingState | null> {
  try {
    const handle = await openFile(dir, stateFile);
    try {
      if ((await handle.stat()).size > maxStateBytes) return null;
      return parseState(JSON.parse(await handle.readFile('utf8')));
    } finally {
      await handle.close();
    }
  } catch {
    return null;
  }
}

/** Writes the state. It contains the keys of reader cookies, so only the owner of the process may read it. */
export async function writeState(
  dir: string,
  temporary: string,
  state: HostingState,
  durable: boolean,
): Promise<void> {
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(state)}\n`);
    if (durable) await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, join(dir, stateFile));
  if (durable) await syncPath(dir);
}

function parseState(value: unknown): HostingState | null {
  const fields = fieldsOf(value);
  if (fields === null || !Array.isArray(fields.sites) || !Array.isArray(fields.hosts)) return null;
  return {
    sites: parseSites(fields.sites, () => {}),
    hosts: fields.hosts.flatMap((entry: unknown) => parseHost(fieldsOf(entry)) ?? []),
  };
}

function parseHost(fields: Record<string, unknown> | null): HostState | null {
  const { host, projectId } = fields ?? {};
  const current = parseRelease(fieldsOf(fields?.current));
  if (typeof host !== 'string' || typeof projectId !== 'string' || current === null) return null;
  const variants = Array.isArray(fields?.variants)
    ? fields.variants.flatMap((entry: unknown) => parseVariant(fieldsOf(entry)) ?? [])
    : [];
  return { host, projectId, current, previous: parseRelease(fieldsOf(fields?.previous)), variants };
}

function parseVariant(fields: Record<string, unknown> | null): VariantState | null {
  const audience = parseAudience(fields);
  const current = parseRelease(fieldsOf(fields?.current));
  if (audience === null || current === null) return null;
  return { ...audience, current, previous: parseRelease(fieldsOf(fields?.previous)) };
}

function parseRelease(fields: Record<string, unknown> | null): HostRelease | null {
  const { sha256, deploymentId, basePath } = fields ?? {};
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) return null;
  if (typeof deploymentId !== 'string' || typeof basePath !== 'string') return null;
  return { sha256, deploymentId, basePath };
}
