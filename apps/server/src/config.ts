import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolderSync } from '@offprint/bundle/make-folder';
import { suggestName } from '@offprint/render/suggest-name';
import { z } from 'zod';
import { accountsFaults, accountsSettings } from './settings/accounts.ts';
import { agentSettings } from './settings/agent.ts';
import { analyticsFaults, analyticsSettings } from './settings/analytics.ts';
import { assistantSettings } from './settings/assistant.ts';
import { domainsSettings } from './settings/domains.ts';
import { exportsSettings } from './settings/exports.ts';
import { hostingSettings } from './settings/hosting.ts';
import { platformSettings } from './settings/platform.ts';
import type { Setting } from './settings/setting.ts';
import { storageFaults, storageSettings } from './settings/storage.ts';

export interface ConfigFault {
  name: string;
  message: string;
}

/** The environment does not make a configuration. The message lists every error, one per line. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly faults: readonly ConfigFault[];
  constructor(faults: readonly ConfigFault[]) {
    super(
      `The configuration has ${faults.length === 1 ? 'an error' : `${faults.length} errors`}:\n` +
        faults.map((fault) => `  ${fault.name}: ${fault.message}`).join('\n'),
    );
    this.faults = faults;
  }
}

/** Every setting there is; the key is its name in `Config`. */
export const settings = {
  ...platformSettings,
  ...storageSettings,
  ...accountsSettings,
  ...exportsSettings,
  ...hostingSettings,
  ...analyticsSettings,
  ...agentSettings,
  ...assistantSettings,
  ...domainsSettings,
} as const satisfies Record<string, Setting>;

type Settings = typeof settings;

/** The whole configuration, frozen. Numbers carry their unit in the name. */
export type Config = Readonly<z.output<typeof schema>>;

const keys = Object.keys(settings) as (keyof Settings)[];
const schema = z.object(
  Object.fromEntries(keys.map((key) => [key, settings[key].schema])) as {
    [Key in keyof Settings]: Settings[Key]['schema'];
  },
);

/**
 * Reads the configuration from an environment, by default that of the process. Throws ConfigError with every
 * fault. No other module reads the environment.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const faults: ConfigFault[] = [];
  const values: Record<string, string | undefined> = {};
  for (const key of keys) {
    const setting: Setting = settings[key];
    const value = readSetting(setting, env, faults) ?? readInFolder(setting, env, faults);
    values[key] = value ?? setting.default ?? undefined;
  }
  const parsed = schema.safeParse(values);
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      const setting = settings[issue.path[0] as keyof Settings];
      faults.push({ name: setting.name, message: issue.message });
    }
  } else {
    faults.push(
      ...storageFaults(parsed.data),
      ...accountsFaults(parsed.data),
      ...analyticsFaults(parsed.data),
    );
  }
  if (faults.length > 0 || !parsed.success) throw new ConfigError(faults);
  return Object.freeze(parsed.data);
}

/**
 * The configuration of a renderer. Throws ConfigError if the environment has a secret or names a file with one: the
 * renderer processes the content of strangers, and none of its settings is secret.
 */
export function readRendererConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const secrets = keys.flatMap((key) => {
    const { name, secret }: Setting = settings[key];
    return secret ? [name, `${name}_FILE`] : [];
  });
  secrets.push(settings.settingsDir.name);
  const faults = secrets
    .filter((name) => (env[name] ?? '') !== '')
    .map((name) => ({ name, message: 'must not be set for the renderer, which needs no secret; remove it' }));
  if (faults.length > 0) throw new ConfigError(faults);
  return readConfig(env);
}

/** The configuration by variable name, secrets masked, for a log line or `offprint config`. */
export function printConfig(config: Config): Record<string, unknown> {
  return Object.fromEntries(
    keys.map((key) => {
      const value = config[key];
      return [settings[key].name, settings[key].secret && value !== undefined ? '********' : (value ?? null)];
    }),
  );
}

/**
 * The root secret: as configured, else the one kept in the data folder, made at the first start. The file is
 * created exclusively, so that two processes that start together agree on one.
 */
export function readSecret(config: Config): string {
  if (config.secret !== undefined) return config.secret;
  makeFolderSync(config.dataDir, 0o700);
  const path = join(config.dataDir, 'secret');
  try {
    writeFileSync(path, `${randomBytes(32).toString('base64url')}\n`, {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const secret = readFileSync(path, 'utf8').trim();
  if (secret.length < 32) {
    throw new ConfigError([
      {
        name: settings.secret.name,
        message: `the file ${path} has fewer than 32 characters; restore it from a backup, or set this variable`,
      },
    ]);
  }
  return secret;
}

/** The value in the folder of settings; undefined if there is no folder, or no file of this name in it. */
function readInFolder(
  { name }: Setting,
  env: Readonly<Record<string, string | undefined>>,
  faults: ConfigFault[],
): string | undefined {
  const folder = env[settings.settingsDir.name] ?? '';
  if (folder === '' || name === settings.settingsDir.name) return undefined;
  const file = join(folder, name);
  try {
    const text = readFileSync(file, 'utf8').trim();
    return text === '' ? undefined : text;
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    if (reason !== 'ENOENT') faults.push({ name, message: `cannot read the file ${file} (${reason})` });
    return undefined;
  }
}

/**
 * Secret settings whose values are in the environment of an image. Child processes do not inherit them, but tools that
 * read environments, such as crash reports, show them.
 */
export function secretsInEnvironment(
  env: Readonly<Record<string, string | undefined>> = process.env,
): string[] {
  // Set by the images. On a developer's machine the environment is where settings are.
  if (env.NODE_ENV !== 'production') return [];
  const all: Setting[] = keys.map((key) => settings[key]);
  return all.filter(({ name, secret }) => secret && (env[name] ?? '') !== '').map(({ name }) => name);
}

/**
 * One sentence for each variable of the environment whose name is very similar to that of a setting. Other names with
 * the same prefix are not ours: Kubernetes sets some for a service called `offprint`.
 */
export function misspelledSettings(
  env: Readonly<Record<string, string | undefined>> = process.env,
): string[] {
  const all: Setting[] = keys.map((key) => settings[key]);
  const known = all.flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name]));
  return Object.keys(env)
    .filter((name) => /^(?:OFFPRINT|OTEL|DATABASE)/.test(name) && env[name] !== '')
    .filter((name) => !known.includes(name) && !/^OFFPRINT_(?:SITE_|TEST)/.test(name))
    .sort()
    .flatMap((name) => {
      const suggestion = suggestName(name, known);
      return suggestion === null ? [] : [`${name} has no effect. Did you mean ${suggestion}?`];
    });
}

function readSetting(
  setting: Setting,
  env: Readonly<Record<string, string | undefined>>,
  faults: ConfigFault[],
): string | undefined {
  const value = env[setting.name] === '' ? undefined : env[setting.name];
  if (!setting.secret) return value;
  const file = env[`${setting.name}_FILE`];
  if (file === undefined || file === '') return value;
  if (value !== undefined) {
    faults.push({
      name: setting.name,
      message: `is set together with ${setting.name}_FILE; set only one of the two`,
    });
    return value;
  }
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    faults.push({ name: `${setting.name}_FILE`, message: `cannot read the file ${file} (${reason})` });
    return undefined;
  }
}
