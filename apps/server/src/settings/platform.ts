import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { cidrs, databaseUrl, flag, integer, list, publicUrl, type Setting } from './setting.ts';

/** Where the platform keeps things, listens and how much it answers. */
export const platformSettings = {
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
  allowHttpGitHosts: {
    name: 'OFFPRINT_ALLOW_HTTP_GIT_HOSTS',
    default: '',
    meaning:
      'Git hosts, comma-separated and each with an optional port, that may be reached by http, such as git.internal or 10.0.0.5:3000. Code and credentials are sent to them unencrypted. A host with a private IP address must be in OFFPRINT_ALLOW_PRIVATE_HOSTS too.',
    secret: false,
    schema: list.refine(
      (items) =>
        items.every((item) =>
          /^(?:\*|(?:\*\.)?[\w.-]+(?::\d{1,5})?|\[[\da-f:.]+\](?::\d{1,5})?)$/i.test(item),
        ),
      'must be a comma-separated list of host names such as git.internal or 10.0.0.5:3000, without http://',
    ),
  },
  caFile: {
    name: 'OFFPRINT_CA_FILE',
    default: null,
    meaning:
      'PEM file of the certificate authorities that https Git servers, forges, model endpoints and OFFPRINT_S3_ENDPOINT are checked against. Unset: those of the system.',
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
    meaning: 'Requests per minute of one API key, and of one person in the dashboard.',
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
