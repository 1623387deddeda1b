import { join } from 'node:path';
import type { Config } from './config.ts';
import { type FsBlobStore, openFsBlobStore } from './platform/blob/fs.ts';
import type { BlobStore } from './platform/blob/store.ts';
import { systemClock } from './platform/clock.ts';
import { deriveKey } from './platform/secret.ts';

export interface StoredFiles {
  blobs: BlobStore;
  /** The same store where it is a folder of this machine: the API then serves its links. */
  localBlobs: FsBlobStore | null;
  close(): void;
}

/** Opens the store that the configuration names: a bucket, else a folder of the data folder. */
export async function openStoredFiles(
  config: Config,
  { secret, publicUrl }: { secret: string; publicUrl: () => string },
): Promise<StoredFiles> {
  if (config.s3Bucket === undefined) {
    const localBlobs = await openFsBlobStore({
      folder: join(config.dataDir, 'blobs'),
      secret: deriveKey(secret, 'links'),
      publicUrl,
      now: systemClock,
    });
    return { blobs: localBlobs, localBlobs, close: () => undefined };
  }
  const { s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = config;
  // Its client is large: who has no bucket does not wait for it.
  const { openS3BlobStore } = await import('./platform/blob/s3.ts');
  const blobs = openS3BlobStore({
    bucket: config.s3Bucket,
    region: config.s3Region ?? 'us-east-1',
    endpoint: config.s3Endpoint ?? null,
    publicEndpoint: config.s3PublicEndpoint ?? null,
    credentials:
      accessKeyId === undefined || secretAccessKey === undefined ? null : { accessKeyId, secretAccessKey },
    prefix: config.s3Prefix ?? '',
    forcePathStyle: config.s3ForcePathStyle ?? config.s3Endpoint !== undefined,
    checksums: config.s3Checksums,
    caFile: config.caFile ?? null,
    now: systemClock,
  });
  return { blobs, localBlobs: null, close: blobs.close };
}
