import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { z } from 'zod';

/** One setting: a row of the table in the documentation, and the rule that reads it. */
export interface Setting {
  /** Environment variable. A secret is also read from the file that `<name>_FILE` names. */
  name: string;
  /** What an unset or empty variable means; null = nothing, the meaning says what happens then. */
  default: string | null;
  meaning: string;
  secret: boolean;
  schema: z.ZodType;
}

export interface ConfigFault {
  name: string;
  message: string;
}

/** The environment does not make a configuration. The message lists every fault, one a line. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly faults: readonly ConfigFault[];
  constructor(faults: readonly ConfigFault[]) {
    super(
      `The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n` +
        faults.map((fault) => `  ${fault.name}: ${fault.message}`).join('\n'),
    );
    this.faults = faults;
  }
}

/** A whole number in decimal digits between `min` and `max`. */
const integer = (min: number, max: number, unit: string) =>
  z
    .string()
    .regex(/^\d{1,12}$/, `must be a whole number${unit === '' ? '' : ` of ${unit}`}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`);

const flag = z
  .enum(['true', 'false', '1', '0'], 'must be true or false')
  .transform((value) => value === 'true' || value === '1');

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

const cidrs = list.refine(
  (items) => items.every(isAddressOrCidr),
  'must be a comma-separated list of addresses or networks such as 10.0.0.0/8',
);

const publicUrl = z
  .string()
  .refine(
    isOrigin,
    'must be an http or https URL without path, query and credentials, such as https://docs.example.com',
  )
  .transform((text) => new URL(text).origin);

const databaseUrl = z
  .string()
  .refine(
    (text) => /^postgres(ql)?:\/\//.test(text) && URL.canParse(text),
    'must be a URL that starts with postgresql://',
  );

/** Every setting there is; the key is its name in `Config`. */
export const settings = {
  dataDir: {
    name: 'OFFPRINT_DATA_DIR',
    default: '.offprint',
    meaning: 'Folder of the embedded database, stored files, work folders and the generated secret.',
    secret: false,
    schema: z.string().transform((path) => resolve(path)),
  },
  host: {
    name: 'OFFPRINT_HOST',
    default: '127.0.0.1',
    meaning: 'Address that the API listens on; 0.0.0.0 for every interface.',
    secret: false,
    schema: z.string().min(1).max(253),
  },
  port: {
    name: 'OFFPRINT_PORT',
    default: '4100',
    meaning: 'Port of the API; 0 picks a free one.',
    secret: false,
    schema: integer(0, 65_535, ''),
  },
  publicUrl: {
    name: 'OFFPRINT_PUBLIC_URL',
    default: null,
    meaning: 'Address under which clients reach the API, used in links. Unset: the address listened on.',
    secret: false,
    schema: publicUrl.optional(),
  },
  trustedProxies: {
    name: 'OFFPRINT_TRUSTED_PROXIES',
    default: '',
    meaning:
      'Addresses or networks of reverse proxies, comma-separated, whose X-Forwarded-For names the client. Empty: none.',
    secret: false,
    schema: cidrs,
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    default: null,
    meaning: 'PostgreSQL to use. Unset: an embedded PostgreSQL in the data folder.',
    secret: true,
    schema: databaseUrl.optional(),
  },
  databaseConnections: {
    name: 'OFFPRINT_DATABASE_CONNECTIONS',
    default: '10',
    meaning: 'Most connections that one role keeps to the database.',
    secret: false,
    schema: integer(2, 200, 'connections'),
  },
  secret: {
    name: 'OFFPRINT_SECRET',
    default: null,
    meaning:
      'Root of the keys that protect API keys, links and stored credentials, at least 32 characters, the same in every process. Unset: made once and kept in the data folder.',
    secret: true,
    schema: z.string().min(32, 'must have at least 32 characters').max(1_024).optional(),
  },
  allowFolderSources: {
    name: 'OFFPRINT_ALLOW_FOLDER_SOURCES',
    default: 'false',
    meaning:
      'Allow projects whose source is a folder of this machine. For development only: whoever holds a key can read any folder that the process can.',
    secret: false,
    schema: flag,
  },
  allowPrivateHosts: {
    name: 'OFFPRINT_ALLOW_PRIVATE_HOSTS',
    default: '',
    meaning:
      'Host names, comma-separated, that may be reached although they resolve to private addresses, such as a Git server in the same cluster.',
    secret: false,
    schema: list,
  },
  caFile: {
    name: 'OFFPRINT_CA_FILE',
    default: null,
    meaning:
      'PEM file of the certificate authorities that https Git servers, forges and model endpoints are checked against. Unset: those of the system.',
    secret: false,
    schema: z
      .string()
      .transform((path) => resolve(path))
      .refine(existsSync, 'must be the path of a file that is there')
      .optional(),
  },
  rateLimit: {
    name: 'OFFPRINT_RATE_LIMIT',
    default: '600',
    meaning: 'Requests per minute of one API key.',
    secret: false,
    schema: integer(1, 1_000_000, 'requests'),
  },
  anonymousRateLimit: {
    name: 'OFFPRINT_ANONYMOUS_RATE_LIMIT',
    default: '120',
    meaning: 'Requests per minute of one address that carry no valid key or hit no route.',
    secret: false,
    schema: integer(1, 1_000_000, 'requests'),
  },
  keysPerHour: {
    name: 'OFFPRINT_KEYS_PER_HOUR',
    default: '10',
    meaning: 'API keys that one organization may create in an hour.',
    secret: false,
    schema: integer(1, 10_000, 'keys'),
  },
  maxActiveExports: {
    name: 'OFFPRINT_MAX_ACTIVE_EXPORTS',
    default: '10',
    meaning: 'Queued and running exports of one organization.',
    secret: false,
    schema: integer(1, 100_000, 'exports'),
  },
  maxUploadMb: {
    name: 'OFFPRINT_MAX_UPLOAD_MB',
    default: '256',
    meaning: 'Size of an uploaded source archive in megabytes (1,000,000 bytes).',
    secret: false,
    schema: integer(1, 100_000, 'megabytes'),
  },
  maxSourceMb: {
    name: 'OFFPRINT_MAX_SOURCE_MB',
    default: '2048',
    meaning: 'Size of an unpacked source in megabytes (1,000,000 bytes).',
    secret: false,
    schema: integer(1, 1_000_000, 'megabytes'),
  },
  exportConcurrency: {
    name: 'OFFPRINT_EXPORT_CONCURRENCY',
    default: '2',
    meaning: 'Exports that one worker runs at the same time.',
    secret: false,
    schema: integer(1, 256, 'exports'),
  },
  exportTimeoutSeconds: {
    name: 'OFFPRINT_EXPORT_TIMEOUT_SECONDS',
    default: '900',
    meaning: 'Time that the rendering of one export may take, in seconds.',
    secret: false,
    schema: integer(1, 86_400, 'seconds'),
  },
  exportMemoryMb: {
    name: 'OFFPRINT_EXPORT_MEMORY_MB',
    default: '2048',
    meaning: 'Memory that the rendering of one export may take, in megabytes.',
    secret: false,
    schema: integer(256, 1_000_000, 'megabytes'),
  },
  exportOutputMb: {
    name: 'OFFPRINT_EXPORT_OUTPUT_MB',
    default: '8192',
    meaning: 'Size of the files of one export in megabytes.',
    secret: false,
    schema: integer(1, 1_000_000, 'megabytes'),
  },
  exportFetch: {
    name: 'OFFPRINT_EXPORT_FETCH',
    default: 'deny',
    meaning:
      'Whether exports fetch images, fonts, style sheets, scripts and API descriptions that a site names on other hosts, to put copies into the bundle: allow or deny. Projects of air-gapped deployments never do.',
    secret: false,
    schema: z.enum(['allow', 'deny'], 'must be allow or deny'),
  },
  exportRetentionDays: {
    name: 'OFFPRINT_EXPORT_RETENTION_DAYS',
    default: '0',
    meaning: 'Days after which finished exports and their files are deleted; 0 keeps them.',
    secret: false,
    schema: integer(0, 36_500, 'days'),
  },
  agentProvider: {
    name: 'OFFPRINT_AGENT_PROVIDER',
    default: null,
    meaning:
      'Provider of the model of agent jobs: anthropic, openai or openai-compatible (vLLM, Ollama and others). A project can set its own. Unset: projects without a model of their own have no agent jobs.',
    secret: false,
    schema: z
      .enum(['anthropic', 'openai', 'openai-compatible'], 'must be anthropic, openai or openai-compatible')
      .optional(),
  },
  agentModel: {
    name: 'OFFPRINT_AGENT_MODEL',
    default: null,
    meaning: 'Name of the model, as its provider knows it.',
    secret: false,
    schema: z.string().min(1).max(200).optional(),
  },
  agentBaseUrl: {
    name: 'OFFPRINT_AGENT_BASE_URL',
    default: null,
    meaning:
      'Address of the model endpoint, such as http://127.0.0.1:11434/v1; needed for openai-compatible. Its host may be private. Unset: the address of the provider.',
    secret: false,
    schema: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).optional(),
  },
  agentApiKey: {
    name: 'OFFPRINT_AGENT_API_KEY',
    default: null,
    meaning: 'API key of the model endpoint. Unset: none is sent.',
    secret: true,
    schema: z.string().min(1).max(4_096).optional(),
  },
  agentContextTokens: {
    name: 'OFFPRINT_AGENT_CONTEXT_TOKENS',
    default: '200000',
    meaning: 'Context window of the model in tokens, input and output together.',
    secret: false,
    schema: integer(8_000, 100_000_000, 'tokens'),
  },
  agentOutputTokens: {
    name: 'OFFPRINT_AGENT_OUTPUT_TOKENS',
    default: '16000',
    meaning: 'Most tokens of one answer of the model.',
    secret: false,
    schema: integer(500, 1_000_000, 'tokens'),
  },
  agentToolMode: {
    name: 'OFFPRINT_AGENT_TOOL_MODE',
    default: 'native',
    meaning:
      'native, or prompted for servers without tool calls: tools are then described and called in text.',
    secret: false,
    schema: z.enum(['native', 'prompted'], 'must be native or prompted'),
  },
  agentPrices: {
    name: 'OFFPRINT_AGENT_PRICES',
    default: null,
    meaning:
      'US dollars for a million tokens: input, output, and where known cache reads and cache writes, such as 3,15,0.3,3.75. Unset: costs are not told and not limited.',
    secret: false,
    schema: z
      .string()
      .regex(/^\d+(\.\d+)?(,\d+(\.\d+)?){1,3}$/, 'must be two to four numbers with commas between')
      .transform((text) => text.split(',').map(Number))
      .transform(([input = 0, output = 0, cacheRead = input, cacheWrite = input]) => ({
        input,
        output,
        cacheRead,
        cacheWrite,
      }))
      .optional(),
  },
  agentConcurrency: {
    name: 'OFFPRINT_AGENT_CONCURRENCY',
    default: '4',
    meaning: 'Agent jobs that one worker runs at the same time.',
    secret: false,
    schema: integer(1, 256, 'jobs'),
  },
  agentProjectJobs: {
    name: 'OFFPRINT_AGENT_PROJECT_JOBS',
    default: '3',
    meaning: 'Agent jobs of one project that run at the same time; others wait.',
    secret: false,
    schema: integer(1, 256, 'jobs'),
  },
  agentUsesPerHour: {
    name: 'OFFPRINT_AGENT_USES_PER_HOUR',
    default: '100',
    meaning: 'Agent jobs and messages that one project may send in any hour.',
    secret: false,
    schema: integer(1, 1_000_000, 'uses'),
  },
  agentSteps: {
    name: 'OFFPRINT_AGENT_STEPS',
    default: '80',
    meaning: 'Calls of the model that one turn of an agent job may make.',
    secret: false,
    schema: integer(1, 10_000, 'steps'),
  },
  agentMinutes: {
    name: 'OFFPRINT_AGENT_MINUTES',
    default: '45',
    meaning: 'Minutes that one turn of an agent job may take.',
    secret: false,
    schema: integer(1, 1_440, 'minutes'),
  },
  agentTurnInputTokens: {
    name: 'OFFPRINT_AGENT_TURN_INPUT_TOKENS',
    default: '3000000',
    meaning: 'Tokens that one turn of an agent job may send to the model.',
    secret: false,
    schema: integer(1_000, 1_000_000_000, 'tokens'),
  },
  agentTurnOutputTokens: {
    name: 'OFFPRINT_AGENT_TURN_OUTPUT_TOKENS',
    default: '150000',
    meaning: 'Tokens that the model may write in one turn of an agent job.',
    secret: false,
    schema: integer(1_000, 1_000_000_000, 'tokens'),
  },
  agentCostUsd: {
    name: 'OFFPRINT_AGENT_COST_USD',
    default: '3',
    meaning: 'US dollars that one turn of an agent job may cost, where prices are known.',
    secret: false,
    schema: z
      .string()
      .regex(/^\d+(\.\d+)?$/, 'must be a number of US dollars')
      .transform(Number),
  },
  agentRetentionDays: {
    name: 'OFFPRINT_AGENT_RETENTION_DAYS',
    default: '30',
    meaning: 'Days that the transcript of a finished agent job is kept; the job itself stays. 0 keeps it.',
    secret: false,
    schema: integer(0, 36_500, 'days'),
  },
  idempotencyHours: {
    name: 'OFFPRINT_IDEMPOTENCY_HOURS',
    default: '24',
    meaning: 'Hours for which the answer to an Idempotency-Key is kept.',
    secret: false,
    schema: integer(1, 8_760, 'hours'),
  },
  shutdownSeconds: {
    name: 'OFFPRINT_SHUTDOWN_SECONDS',
    default: '25',
    meaning: 'Seconds that running exports are given to finish when the process is told to stop.',
    secret: false,
    schema: integer(0, 3_600, 'seconds'),
  },
  dashboardDir: {
    name: 'OFFPRINT_DASHBOARD_DIR',
    default: null,
    meaning:
      'Folder of the built dashboard, served at the root of the API. Unset: the command names its own.',
    secret: false,
    schema: z
      .string()
      .transform((path) => resolve(path))
      .optional(),
  },
  metricsPort: {
    name: 'OFFPRINT_METRICS_PORT',
    default: null,
    meaning: 'Port of the Prometheus metrics at /metrics; 0 picks a free one. Unset: no metrics are served.',
    secret: false,
    schema: integer(0, 65_535, '').optional(),
  },
  logLevel: {
    name: 'OFFPRINT_LOG_LEVEL',
    default: 'info',
    meaning: 'Least severe log lines written: trace, debug, info, warn, error, fatal or silent.',
    secret: false,
    schema: z.enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'must be trace, debug, info, warn, error, fatal or silent',
    ),
  },
  logFormat: {
    name: 'OFFPRINT_LOG_FORMAT',
    default: 'json',
    meaning: 'Form of the log on standard error: json (one object a line) or text.',
    secret: false,
    schema: z.enum(['json', 'text'], 'must be json or text'),
  },
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
    const value = readSetting(setting, env, faults);
    values[key] = value ?? setting.default ?? undefined;
  }
  const parsed = schema.safeParse(values);
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      const setting = settings[issue.path[0] as keyof Settings];
      faults.push({ name: setting.name, message: issue.message });
    }
  }
  if (faults.length > 0 || !parsed.success) throw new ConfigError(faults);
  return Object.freeze(parsed.data);
}

/** A configuration with some values replaced, for roles and tests that know better than the environment. */
export function withConfig(config: Config, changes: Partial<Config>): Config {
  return Object.freeze({ ...config, ...changes });
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
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
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
      { name: settings.secret.name, message: `the file ${path} is damaged; restore it or set the variable` },
    ]);
  }
  return secret;
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
      message: `is set, and so is ${setting.name}_FILE; set one of the two`,
    });
    return value;
  }
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    faults.push({ name: `${setting.name}_FILE`, message: `the file ${file} cannot be read (${reason})` });
    return undefined;
  }
}

function isAddressOrCidr(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return (
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.pathname === '/' &&
    url.search === '' &&
    url.hash === '' &&
    url.username === '' &&
    url.password === ''
  );
}
