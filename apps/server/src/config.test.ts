import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import {
  ConfigError,
  misspelledSettings,
  printConfig,
  readConfig,
  readRendererConfig,
  readSecret,
  secretsInEnvironment,
  settings,
} from './config.ts';

const SECRET = 'a secret of more than thirty-two characters';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'offprint-config-'));
  folders.push(folder);
  return folder;
}

function faultsOf(env: Record<string, string>): string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map(({ name, message }) => `${name}: ${message}`);
    throw error;
  }
  return [];
}

describe('settings in files', () => {
  test('a folder gives settings that the environment does not have, and nothing comes into the environment', () => {
    const folder = makeFolder();
    const files = {
      OFFPRINT_AGENT_API_KEY: 'sk-from-a-file\n',
      OFFPRINT_PORT: '4300',
      OFFPRINT_LOG_LEVEL: 'debug',
      OFFPRINT_SETTINGS_DIR: '/elsewhere',
      OFFPRINT_SMTP_URL: '',
      'unknown.txt': 'x',
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const secretFile = join(folder, 'secret');
    writeFileSync(secretFile, SECRET);
    const env = {
      OFFPRINT_SETTINGS_DIR: folder,
      OFFPRINT_LOG_LEVEL: 'warn',
      OFFPRINT_SECRET_FILE: secretFile,
    };
    const before = { ...process.env };
    const config = readConfig(env);
    expect(config).toMatchObject({
      agentApiKey: 'sk-from-a-file',
      port: 4300,
      logLevel: 'warn',
      secret: SECRET,
      settingsDir: folder,
    });
    expect(config.smtpUrl).toBeUndefined();
    expect({ ...process.env }).toEqual(before);
    expect(Object.keys(env)).toEqual(['OFFPRINT_SETTINGS_DIR', 'OFFPRINT_LOG_LEVEL', 'OFFPRINT_SECRET_FILE']);
  });

  test('a value in the folder that is not valid, and one that cannot be read, are errors with the name of the setting', () => {
    const folder = makeFolder();
    mkdirSync(join(folder, 'OFFPRINT_SMTP_URL'));
    expect(faultsOf({ OFFPRINT_SETTINGS_DIR: folder })).toEqual([
      expect.stringMatching(/^OFFPRINT_SMTP_URL: cannot read the file .*EISDIR/),
    ]);
    const other = makeFolder();
    writeFileSync(join(other, 'OFFPRINT_PORT'), 'many');
    expect(faultsOf({ OFFPRINT_SETTINGS_DIR: other })).toEqual([
      expect.stringMatching(/^OFFPRINT_PORT: must be a whole number/),
    ]);
  });

  test('reports variables that look like misspelled settings, and no others', () => {
    expect(
      misspelledSettings({
        OFFPRINT_PORTT: '1',
        OFFPRINT_S3_BUCKETT: 'docs',
        DATABASE_URI: 'postgresql://db/offprint',
        OFFPRINT_SECRET_FIL: '/run/secret',
      }),
    ).toEqual([
      'DATABASE_URI has no effect. Did you mean DATABASE_URL?',
      'OFFPRINT_PORTT has no effect. Did you mean OFFPRINT_PORT?',
      'OFFPRINT_S3_BUCKETT has no effect. Did you mean OFFPRINT_S3_BUCKET?',
      'OFFPRINT_SECRET_FIL has no effect. Did you mean OFFPRINT_SECRET_FILE?',
    ]);
    const others = [
      'URL',
      'API_KEY',
      'API_KEY_FILE',
      'PROJECT',
      'DEBUG',
      'SITE_PORT',
      'SITE_TOKEN',
      'TEST',
      'IMAGE',
    ];
    const cluster = ['SERVICE_HOST', 'SERVICE_PORT', 'PORT_4100_TCP', 'PORT_4100_TCP_ADDR'];
    const env = Object.fromEntries([...others, ...cluster].map((name) => [`OFFPRINT_${name}`, 'x']));
    expect(misspelledSettings({ ...env, OFFPRINT_PORT: '1', OFFPRINT_POR: '' })).toEqual([]);
  });

  test('only an image reports secrets in its environment, and only their names', () => {
    const env = { OFFPRINT_SECRET: SECRET, DATABASE_URL_FILE: '/run/secrets/a', OFFPRINT_PORT: '1' };
    expect(secretsInEnvironment(env)).toEqual([]);
    expect(secretsInEnvironment({ ...env, NODE_ENV: 'production' })).toEqual(['OFFPRINT_SECRET']);
  });

  test('a renderer takes no secret, in whatever way it is given', () => {
    expect(readRendererConfig({ OFFPRINT_RENDERER_PORT: '1' }).rendererPort).toBe(1);
    for (const name of ['OFFPRINT_SECRET', 'OFFPRINT_SMTP_URL_FILE', 'OFFPRINT_SETTINGS_DIR'])
      expect(() => readRendererConfig({ [name]: '/a' }), name).toThrow(
        `${name}: must not be set for the renderer`,
      );
  });
});

describe('readConfig', () => {
  test('an empty environment gives the documented defaults, frozen', () => {
    const config = readConfig({});
    expect(config).toMatchObject({
      dataDir: resolve('.offprint'),
      port: 4100,
      host: '127.0.0.1',
      allowFolderSources: null,
      rateLimit: 600,
      maxActiveExports: 10,
    });
    expect(config.databaseUrl).toBeUndefined();
    expect(Object.isFrozen(config)).toBe(true);
    expect(() => Object.assign(config, { port: 1 })).toThrow(TypeError);
  });

  test('limits of plans are one number, or numbers by plan', () => {
    const limits = (text: string) => readConfig({ OFFPRINT_QUOTA_DAILY_EXPORTS: text }).quotaDailyExports;
    expect(limits('')).toEqual({ free: 0, pro: 0, enterprise: 0 });
    expect(limits('20')).toEqual({ free: 20, pro: 20, enterprise: 20 });
    expect(limits('pro=5, enterprise=50')).toEqual({ free: 0, pro: 5, enterprise: 50 });
    for (const text of ['-1', 'gold=1', 'pro', 'pro=x', 'pro=1,'])
      expect(faultsOf({ OFFPRINT_QUOTA_DAILY_EXPORTS: text })).toEqual([
        'OFFPRINT_QUOTA_DAILY_EXPORTS: must be a whole number of exports, or numbers by plan such as free=10,pro=100',
      ]);
  });

  test('an empty variable is an unset one', () => {
    expect(readConfig({ OFFPRINT_PORT: '', DATABASE_URL: '', OFFPRINT_SECRET_FILE: '' })).toEqual(
      readConfig({}),
    );
  });

  test('settings of single sign-on that do not make sense together are named', () => {
    const faults = (env: Record<string, string>) => faultsOf(env).map((fault) => fault.split(':')[0]);
    expect(faults({ OFFPRINT_OIDC_ISSUER: 'https://id.example.com' })).toEqual(['OFFPRINT_OIDC_CLIENT_ID']);
    expect(faults({ OFFPRINT_OIDC_CLIENT_ID: 'a', OFFPRINT_OIDC_CLIENT_SECRET: 'b' })).toEqual([
      'OFFPRINT_OIDC_CLIENT_ID',
      'OFFPRINT_OIDC_CLIENT_SECRET',
    ]);
    expect(faults({ OFFPRINT_PASSWORDS: 'false' })).toEqual(['OFFPRINT_PASSWORDS']);
    const together = { OFFPRINT_OIDC_ISSUER: 'https://id.example.com', OFFPRINT_OIDC_CLIENT_ID: 'a' };
    expect(faults({ ...together, OFFPRINT_PASSWORDS: 'false' })).toEqual([]);
  });

  test('settings of a bucket that do not make sense together are named', () => {
    const faults = (env: Record<string, string>) => faultsOf(env).map((fault) => fault.split(':')[0]);
    const keys = { OFFPRINT_S3_ACCESS_KEY_ID: 'a', OFFPRINT_S3_SECRET_ACCESS_KEY: 'b' };
    const aws = { OFFPRINT_S3_BUCKET: 'docs', OFFPRINT_S3_REGION: 'eu-central-1' };
    expect(faults({ ...keys, OFFPRINT_S3_ENDPOINT: 'http://s3', OFFPRINT_S3_PREFIX: 'a' })).toEqual([
      'OFFPRINT_S3_ENDPOINT',
      'OFFPRINT_S3_ACCESS_KEY_ID',
      'OFFPRINT_S3_SECRET_ACCESS_KEY',
      'OFFPRINT_S3_PREFIX',
    ]);
    expect(faults({ OFFPRINT_S3_BUCKET: 'docs', OFFPRINT_S3_ACCESS_KEY_ID: 'a' })).toEqual([
      'OFFPRINT_S3_REGION',
      'OFFPRINT_S3_SECRET_ACCESS_KEY',
    ]);
    expect(faults({ ...aws, OFFPRINT_S3_SECRET_ACCESS_KEY: 'b' })).toEqual(['OFFPRINT_S3_ACCESS_KEY_ID']);
    expect(faults(aws)).toEqual([]);
    expect(faults({ ...keys, OFFPRINT_S3_BUCKET: 'docs', OFFPRINT_S3_ENDPOINT: 'http://s3:9000' })).toEqual(
      [],
    );
    expect(
      faults({
        OFFPRINT_S3_BUCKET: 'Docs_',
        OFFPRINT_S3_REGION: 'eu central',
        OFFPRINT_S3_ENDPOINT: 's3:9000/docs',
        OFFPRINT_S3_PREFIX: '../x',
        OFFPRINT_S3_FORCE_PATH_STYLE: 'yes',
        OFFPRINT_S3_CHECKSUMS: 'always',
      }),
    ).toHaveLength(6);
    expect(readConfig({ ...aws, OFFPRINT_S3_PREFIX: 'a/b' }).s3Prefix).toBe('a/b/');
  });

  test('every error is listed at once, by variable', () => {
    const faults = faultsOf({
      OFFPRINT_PORT: '70000',
      OFFPRINT_PUBLIC_URL: 'docs.example.com/path',
      OFFPRINT_SECRET: 'short',
      OFFPRINT_ALLOW_FOLDER_SOURCES: 'yes',
      OFFPRINT_LOG_LEVEL: 'loud',
      OFFPRINT_TRUSTED_PROXIES: '10.0.0.0/8, nonsense',
      DATABASE_URL: 'mysql://x',
      OFFPRINT_RATE_LIMIT: '1e3',
    });
    expect(faults.map((fault) => fault.split(':')[0]).sort()).toEqual([
      'DATABASE_URL',
      'OFFPRINT_ALLOW_FOLDER_SOURCES',
      'OFFPRINT_LOG_LEVEL',
      'OFFPRINT_PORT',
      'OFFPRINT_PUBLIC_URL',
      'OFFPRINT_RATE_LIMIT',
      'OFFPRINT_SECRET',
      'OFFPRINT_TRUSTED_PROXIES',
    ]);
    expect(faults.join()).not.toContain('short,');
  });

  test('a secret comes from the file of its twin, and from one place only', () => {
    const file = join(makeFolder(), 'secret');
    writeFileSync(file, `${SECRET}\n`);
    expect(readConfig({ OFFPRINT_SECRET_FILE: file }).secret).toBe(SECRET);
    expect(faultsOf({ OFFPRINT_SECRET: SECRET, OFFPRINT_SECRET_FILE: file })).toHaveLength(1);
    expect(faultsOf({ DATABASE_URL_FILE: '/nowhere/url' })[0]).toMatch(/DATABASE_URL_FILE: .*ENOENT/);
  });

  test('the public address is an origin without a slash', () => {
    expect(readConfig({ OFFPRINT_PUBLIC_URL: 'https://Docs.Example.com/' }).publicUrl).toBe(
      'https://docs.example.com',
    );
    for (const url of [
      'https://u:p@example.com',
      'https://example.com/?x',
      'ftp://example.com',
      'https://example.com/a',
    ]) {
      expect(faultsOf({ OFFPRINT_PUBLIC_URL: url }), url).toHaveLength(1);
    }
  });

  test('every setting has a name, a meaning and a default that its own rule takes', () => {
    const names = Object.values(settings).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, meaning } of Object.values(settings)) {
      expect(name).toMatch(/^(OFFPRINT_[A-Z0-9_]+|OTEL_[A-Z_]+|DATABASE_URL)$/);
      expect(meaning).toMatch(/^\S.*\.$/);
    }
  });
});

test('printConfig masks secrets that are set', () => {
  const printed = printConfig(readConfig({ OFFPRINT_SECRET: SECRET, DATABASE_URL: 'postgresql://u:p@h/d' }));
  expect(printed).toMatchObject({
    OFFPRINT_SECRET: '********',
    DATABASE_URL: '********',
    OFFPRINT_PORT: 4100,
  });
  expect(JSON.stringify(printed)).not.toContain(SECRET);
  expect(printConfig(readConfig({})).OFFPRINT_SECRET).toBeNull();
});

test('readSecret generates a secret once, for the owner only, and keeps it', () => {
  const dataDir = join(makeFolder(), 'data');
  const config = readConfig({ OFFPRINT_DATA_DIR: dataDir });
  const secret = readSecret(config);
  expect(secret.length).toBeGreaterThanOrEqual(43);
  expect(readSecret(config)).toBe(secret);
  expect(readFileSync(join(dataDir, 'secret'), 'utf8').trim()).toBe(secret);
  expect(statSync(join(dataDir, 'secret')).mode & 0o777).toBe(0o600);
  writeFileSync(join(dataDir, 'secret'), 'cut');
  expect(() => readSecret(config)).toThrow(/fewer than 32 characters; restore it/);
  expect(readSecret(readConfig({ OFFPRINT_SECRET: SECRET }))).toBe(SECRET);
});
