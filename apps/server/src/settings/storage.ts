import { z } from 'zod';
import { flag, publicUrl, type Setting } from './setting.ts';

type StorageConfig = {
  [Name in keyof typeof storageSettings]: z.output<(typeof storageSettings)[Name]['schema']>;
};

/** Settings that make sense together only. */
export function storageFaults(config: Partial<StorageConfig>): { name: string; message: string }[] {
  const { s3Bucket, s3Region, s3Endpoint, s3AccessKeyId, s3SecretAccessKey } = storageSettings;
  const isSet = (key: keyof StorageConfig) => config[key] !== undefined;
  const faults: { name: string; message: string }[] = [];
  if (!isSet('s3Bucket')) {
    for (const key of Object.keys(storageSettings) as (keyof StorageConfig)[]) {
      if (storageSettings[key].default === null && isSet(key)) {
        faults.push({ name: storageSettings[key].name, message: `is set without ${s3Bucket.name}` });
      }
    }
    return faults;
  }
  if (!isSet('s3Region') && !isSet('s3Endpoint')) {
    faults.push({ name: s3Region.name, message: `is missing; only with ${s3Endpoint.name} it may be` });
  }
  if (isSet('s3AccessKeyId') !== isSet('s3SecretAccessKey')) {
    const [missing, given] = isSet('s3AccessKeyId')
      ? [s3SecretAccessKey, s3AccessKeyId]
      : [s3AccessKeyId, s3SecretAccessKey];
    faults.push({ name: missing.name, message: `is missing; ${given.name} is set` });
  }
  return faults;
}

export const bucketName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    'must be the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens',
  );

/** Where artifacts, bundles and uploaded sources are stored. */
export const storageSettings = {
  s3Bucket: {
    name: 'OFFPRINT_S3_BUCKET',
    default: null,
    meaning:
      'Bucket in S3 or an S3-compatible store, for artifacts, bundles and uploaded sources. Unset: files are stored in the data folder.',
    secret: false,
    schema: bucketName.optional(),
  },
  s3Region: {
    name: 'OFFPRINT_S3_REGION',
    default: null,
    meaning: 'Region of the bucket, such as eu-central-1. Unset: us-east-1, if an endpoint is set.',
    secret: false,
    schema: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,62}$/, 'must be the name of a region, such as eu-central-1')
      .optional(),
  },
  s3Endpoint: {
    name: 'OFFPRINT_S3_ENDPOINT',
    default: null,
    meaning: 'URL of the store, such as https://s3.internal:9000. Unset: AWS, in the region.',
    secret: false,
    schema: publicUrl.optional(),
  },
  s3PublicEndpoint: {
    name: 'OFFPRINT_S3_PUBLIC_ENDPOINT',
    default: null,
    meaning: 'URL of the store for clients, used in links. Unset: the URL that the platform uses.',
    secret: false,
    schema: publicUrl.optional(),
  },
  s3AccessKeyId: {
    name: 'OFFPRINT_S3_ACCESS_KEY_ID',
    default: null,
    meaning:
      'Access key id. Unset: the credentials that the AWS SDK finds, such as AWS_ACCESS_KEY_ID, a web identity, or the role of the instance, task or pod.',
    secret: true,
    schema: z.string().min(1).max(256).optional(),
  },
  s3SecretAccessKey: {
    name: 'OFFPRINT_S3_SECRET_ACCESS_KEY',
    default: null,
    meaning: 'Secret access key.',
    secret: true,
    schema: z.string().min(1).max(1_024).optional(),
  },
  s3Prefix: {
    name: 'OFFPRINT_S3_PREFIX',
    default: null,
    meaning:
      'Prefix of all object keys, such as offprint, so that the bucket can also contain other objects. Unset: none.',
    secret: false,
    schema: z
      .string()
      .regex(
        /^[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*\/?$/,
        'must be names of letters, digits, dots, hyphens and underscores with slashes between',
      )
      .max(200)
      .transform((text) => text.replace(/\/?$/, '/'))
      .optional(),
  },
  s3ForcePathStyle: {
    name: 'OFFPRINT_S3_FORCE_PATH_STYLE',
    default: null,
    meaning:
      'true: the bucket is in the path of URLs; false: in the host name. Unset: true if an endpoint is set.',
    secret: false,
    schema: flag.optional(),
  },
  s3Checksums: {
    name: 'OFFPRINT_S3_CHECKSUMS',
    default: 'when-required',
    meaning:
      'when-supported: every request that supports it contains a CRC, which AWS verifies and some stores reject; when-required: only requests that require it.',
    secret: false,
    schema: z.enum(['when-required', 'when-supported'], 'must be when-required or when-supported'),
  },
} as const satisfies Record<string, Setting>;
