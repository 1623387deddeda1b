import type { ArtifactFile, Found } from '@offprint/bundle';
import type { ReadFile } from '@offprint/search';
import type { StoredArtifact } from '../exports/service.ts';

/** The files of a release in the store. */
export interface SiteSource {
  /** Identifies the files: the digest of the bundle. */
  key: string;
  projectId: string;
  read: ReadFile;
  /** What the site responds with to a path, such as `/guides/start`. */
  find(urlPath: string): Found<ArtifactFile>;
}

/** Reads files of an artifact from its chunks. Throws a BundleError for what is not an artifact, and what the artifact throws. */
export function createSiteSource(key: string, projectId: string, artifact: StoredArtifact): SiteSource {
  return { key, projectId, find: artifact.find, read: readFileOf(artifact) };
}

/** The files of an artifact as the search reads them. */
export function readFileOf(artifact: Pick<StoredArtifact, 'find' | 'read'>): ReadFile {
  return async (path, maxBytes) => {
    // looked up as a request would be: a second list of the files would take memory
    const found = artifact.find(`/${path.split('/').map(encodeURIComponent).join('/')}`);
    if (found.kind !== 'file' || found.file.path !== path || found.file.size > maxBytes) return null;
    const pieces: Uint8Array[] = [];
    for await (const piece of artifact.read(found.file)) pieces.push(piece);
    return Buffer.concat(pieces);
  };
}
