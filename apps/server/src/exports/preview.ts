import type { ExportPreview } from '@offprint/contract';
import { type LookUpExport, requireExport } from './look-up.ts';
import { readPreview, signPreview } from './preview-token.ts';
import type { OpenExport, StoredArtifact } from './stored-artifact.ts';

/** Seconds that a preview is valid before it must be requested again. */
const PREVIEW_SECONDS = 3_600;

/** An export with an open preview. */
export interface OpenPreview {
  exportId: string;
  /** Its base URL, without a slash at the end. */
  url: string;
  secondsLeft: number;
  artifact: StoredArtifact;
}

export interface PreviewAdapters {
  lookUp: LookUpExport;
  openExport: OpenExport;
  /** Signs the addresses of previews. */
  key: Buffer;
  /** Where they begin. */
  url(): string;
}

/** An address at which the export is served for an hour. */
export async function createPreview(
  { lookUp, openExport, key, url }: PreviewAdapters,
  organizationId: string,
  id: string,
): Promise<ExportPreview> {
  await openExport(await requireExport(lookUp, organizationId, id));
  const expiresAt = new Date((Math.floor(Date.now() / 1000) + PREVIEW_SECONDS) * 1000);
  const token = signPreview(key, { organizationId, exportId: id, expiresAt });
  return { url: `${previewUrl(url, token)}/`, expiresAt: expiresAt.toISOString() };
}

/** What the token of a preview grants; else what is wrong with it. */
export async function openPreview(
  { lookUp, openExport, key, url }: PreviewAdapters,
  token: string,
): Promise<OpenPreview | 'invalid' | 'expired'> {
  const now = new Date();
  const read = readPreview(key, token, now);
  if ('fault' in read) return read.fault;
  const { organizationId, exportId, expiresAt } = read.grant;
  // Each time: the preview of an export ends with it.
  const row = await lookUp(organizationId, exportId);
  if (row?.status !== 'completed') return 'invalid';
  const artifact = await openExport(row);
  const secondsLeft = Math.floor((expiresAt.getTime() - now.getTime()) / 1000);
  return { exportId, url: previewUrl(url, token), secondsLeft, artifact };
}

function previewUrl(url: () => string, token: string): string {
  return `${url()}/preview/${token}`;
}
