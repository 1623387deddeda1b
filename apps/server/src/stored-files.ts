import { join } from 'node:path';
import type { Config } from './config.ts';
import { type FsBlobStore, openFsBlobStore } from './platform/blob/fs.ts';
import type { S3BlobStore } from './platform/blob/s3.ts';
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
  const blobs = await openBucket(config, config.s3Bucket);
  return { blobs, localBlobs: null, close: blobs.close };
}

/** Opens the bucket for events of readers; null without one. */
export async function openEventBucket(config: Config): Promise<S3BlobStore | null> {
  return config.analyticsBucket === undefined ? null : openBucket(config, config.analyticsBucket);
}

async function openBucket(config: Config, bucket: string): Promise<S3BlobStore> {
  const { s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = config;
  // Its client is large: who has no bucket does not wait for it.
  const { openS3BlobStore } = await import('./platform/blob/s3.ts');
  return openS3BlobStore({
    bucket,
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
}
