import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { openStoredFiles } from './stored-files.ts';

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true });
});

const given = { secret: 'a secret of more than thirty-two characters', publicUrl: () => 'http://localhost' };

test('without a bucket files are in the data folder and the API serves their links', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'offprint-stored-'));
  folders.push(folder);
  const { blobs, localBlobs } = await openStoredFiles(readConfig({ OFFPRINT_DATA_DIR: folder }), given);
  expect(localBlobs).toBe(blobs);
  const { url } = await blobs.signUrl('a/b', { expiresIn: 60, fileName: 'b' });
  expect(url).toMatch(/^http:\/\/localhost\/blobs\/a\/b\?/);
});

test('with a bucket links lead there, as the settings say, and opening asks nobody', async () => {
  const link = async (env: Record<string, string>) => {
    const config = readConfig({
      OFFPRINT_DATA_DIR: '/nonexistent',
      OFFPRINT_S3_BUCKET: 'docs',
      OFFPRINT_S3_ACCESS_KEY_ID: 'AKEXAMPLE',
      OFFPRINT_S3_SECRET_ACCESS_KEY: 'secret',
      ...env,
    });
    const { blobs, localBlobs, close } = await openStoredFiles(config, given);
    expect(localBlobs).toBeNull();
    const { url } = await blobs.signUrl('a/b', { expiresIn: 60, fileName: 'b' });
    close();
    return url.split('?')[0];
  };
  const endpoint = { OFFPRINT_S3_ENDPOINT: 'http://s3.invalid:9000' };
  expect(await link(endpoint)).toBe('http://s3.invalid:9000/docs/a/b');
  expect(await link({ ...endpoint, OFFPRINT_S3_FORCE_PATH_STYLE: 'false' })).toBe(
    'http://docs.s3.invalid:9000/a/b',
  );
  expect(await link({ ...endpoint, OFFPRINT_S3_PREFIX: 'acme/site' })).toBe(
    'http://s3.invalid:9000/docs/acme/site/a/b',
  );
  expect(await link({ ...endpoint, OFFPRINT_S3_PUBLIC_ENDPOINT: 'https://files.invalid' })).toBe(
    'https://files.invalid/docs/a/b',
  );
  expect(await link({ OFFPRINT_S3_REGION: 'eu-central-1' })).toBe(
    'https://docs.s3.eu-central-1.amazonaws.com/a/b',
  );
});

test('a platform without a bucket loads nothing of the client of S3', async () => {
  const modules = (path: string) => new URL(path, import.meta.url).href;
  const script = `
    import { registerHooks } from 'node:module';
    let loaded = 0;
    registerHooks({ load(url, context, next) { loaded += /aws-sdk|smithy/.test(url) ? 1 : 0; return next(url, context); } });
    await import(${JSON.stringify(modules('./platform.ts'))});
    const without = loaded;
    await import(${JSON.stringify(modules('./platform/blob/s3.ts'))});
    process.stdout.write(JSON.stringify([without, loaded > 0]));
    process.exit(0);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  expect(JSON.parse(stdout)).toEqual([0, true]);
});
