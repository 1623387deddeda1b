/** A real store for the tests of the driver, where the environment names one. */
export interface RealStore {
  endpoint: string;
  region: string;
  bucket: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
}

/** What to set so that the tests run against a store of one's own as well. */
export const REAL_STORE_SETTINGS = [
  'OFFPRINT_TEST_S3_ENDPOINT',
  'OFFPRINT_TEST_S3_BUCKET',
  'OFFPRINT_TEST_S3_ACCESS_KEY_ID',
  'OFFPRINT_TEST_S3_SECRET_ACCESS_KEY',
] as const;

/** The store configured in the environment; null, with a message, without one. */
export function findRealStore(): RealStore | null {
  const [endpoint, bucket, accessKeyId, secretAccessKey] = REAL_STORE_SETTINGS.map(
    (name) => process.env[name],
  );
  if (!endpoint || !bucket || !accessKeyId || !secretAccessKey) {
    process.stderr.write(`no test against a real store: set ${REAL_STORE_SETTINGS.join(', ')}\n`);
    return null;
  }
  const region = process.env.OFFPRINT_TEST_S3_REGION ?? 'us-east-1';
  return { endpoint, region, bucket, credentials: { accessKeyId, secretAccessKey } };
}
