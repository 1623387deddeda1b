import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import {
  cidrs,
  contacts,
  databaseUrl,
  folderRoot,
  headerList,
  integer,
  list,
  publicUrl,
  ratio,
  type Setting,
  webUrl,
} from './setting.ts';

/** Where the platform stores data, where it listens, and its limits. */
export const platformSettings = {
  dataDir: {
    name: 'OFFPRINT_DATA_DIR',
    default: '.offprint',
    meaning: 'Folder for the embedded database, stored files, work folders and the generated secret.',
    secret: false,
    schema: z.string().transform((path) => resolve(path)),
  },
  settingsDir: {
    name: 'OFFPRINT_SETTINGS_DIR',
    default: null,
    meaning:
      'Folder of files that are named like settings and contain their values, such as a mounted Secret. A setting in the environment takes precedence; other files are ignored.',
    secret: false,
    schema: z
      .string()
      .transform((path) => resolve(path))
      .optional(),
  },
  host: {
    name: 'OFFPRINT_HOST',
    default: '127.0.0.1',
    meaning: 'IP address on which the API listens; 0.0.0.0 for all interfaces.',
    secret: false,
    schema: z.string().min(1).max(253),
  },
  port: {
    name: 'OFFPRINT_PORT',
    default: '4100',
    meaning: 'Port of the API; 0 selects a free port.',
    secret: false,
    schema: integer(0, 65_535, ''),
  },
  publicUrl: {
    name: 'OFFPRINT_PUBLIC_URL',
    default: null,
    meaning:
      'URL of the API for clients, used in links. Unset: the IP address and port on which the API listens.',
    secret: false,
    schema: publicUrl.optional(),
  },
  trustedProxies: {
    name: 'OFFPRINT_TRUSTED_PROXIES',
    default: '',
    meaning:
      'IP addresses or networks of reverse proxies, comma-separated, whose X-Forwarded-For header is trusted. Empty: none.',
    secret: false,
    schema: cidrs,
  },
  securityContact: {
    name: 'OFFPRINT_SECURITY_CONTACT',
    default: '',
    meaning:
      'Who to contact about vulnerabilities of this installation, in /.well-known/security.txt: email addresses, https URLs or tel: numbers, comma-separated. Empty: the file does not exist.',
    secret: false,
    schema: contacts,
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    default: null,
    meaning: 'PostgreSQL to use. Unset: an embedded PostgreSQL in the data folder.',
    secret: true,
    schema: databaseUrl.optional(),
  },
  databaseDirectUrl: {
    name: 'OFFPRINT_DATABASE_DIRECT_URL',
    default: null,
    meaning:
      'URL of PostgreSQL itself if DATABASE_URL is that of a connection pooler, such as PgBouncer. Used for notifications, for the lock that shows that a worker lives, and for migrations. Unset: DATABASE_URL.',
    secret: true,
    schema: databaseUrl.optional(),
  },
  databaseConnections: {
    name: 'OFFPRINT_DATABASE_CONNECTIONS',
    default: '10',
    meaning:
      'Maximum number of database connections of one process, all purposes together. With a pooler in DATABASE_URL, one of them is to PostgreSQL itself.',
    secret: false,
    schema: integer(4, 200, 'connections'),
  },
  secret: {
    name: 'OFFPRINT_SECRET',
    default: null,
    meaning:
      'Secret from which the keys for API keys, links and stored credentials are derived, at least 32 characters, the same in every process. Unset: generated once and stored in the data folder.',
    secret: true,
    schema: z.string().min(32, 'must have at least 32 characters').max(1_024).optional(),
  },
  allowFolderSources: {
    name: 'OFFPRINT_ALLOW_FOLDER_SOURCES',
    default: 'false',
    meaning:
      'Allow projects whose source is a folder of this machine: an absolute path allows only that folder and folders below it, with symbolic links resolved; true allows every folder. For development only: anyone with a key can read every allowed folder that the process can read.',
    secret: false,
    schema: folderRoot,
  },
  allowPrivateHosts: {
    name: 'OFFPRINT_ALLOW_PRIVATE_HOSTS',
    default: '',
    meaning:
      'Host names, comma-separated, that are allowed although they resolve to private IP addresses, such as a Git server in the same cluster.',
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
  sandbox: {
    name: 'OFFPRINT_SANDBOX',
    default: 'required',
    meaning:
      'Isolation of render processes by the kernel: `required` to refuse to start without it, `preferred` to log a warning and render with the permission model of Node only. `offprint up` and `npm start` use `preferred` unless this is set.',
    secret: false,
    schema: z.enum(['required', 'preferred'], 'must be required or preferred'),
  },
  caFile: {
    name: 'OFFPRINT_CA_FILE',
    default: null,
    meaning:
      'PEM file with the only certificate authorities that are trusted for Git servers, forges, model endpoints, webhook endpoints, providers of OpenID Connect, the mail server and OFFPRINT_S3_ENDPOINT. Unset: for Git those of the system, for all others those of Node.',
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
    meaning:
      'Maximum number of requests per minute of one API key, and of one user in the dashboard, to all API processes together.',
    secret: false,
    schema: integer(1, 1_000_000, 'requests'),
  },
  anonymousRateLimit: {
    name: 'OFFPRINT_ANONYMOUS_RATE_LIMIT',
    default: '120',
    meaning:
      'Maximum number of requests per minute of one IP address without a valid key or to unknown paths, to all API processes together.',
    secret: false,
    schema: integer(1, 1_000_000, 'requests'),
  },
  maxConnections: {
    name: 'OFFPRINT_MAX_CONNECTIONS',
    default: '4096',
    meaning:
      'Maximum number of open connections of one API process. At the limit, connections without a complete request are closed first, then connections whose clients do not read.',
    secret: false,
    schema: integer(16, 1_000_000, 'connections'),
  },
  maxConnectionsPerAddress: {
    name: 'OFFPRINT_MAX_CONNECTIONS_PER_ADDRESS',
    default: '1024',
    meaning:
      'Maximum number of open connections of one IP address (IPv6: /64 network). Connections of OFFPRINT_TRUSTED_PROXIES do not count; each client behind them can have this number of requests in progress.',
    secret: false,
    schema: integer(8, 1_000_000, 'connections'),
  },
  otlpEndpoint: {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    default: null,
    meaning:
      'URL of an OpenTelemetry collector that receives traces over OTLP/HTTP, such as http://collector:4318. Unset: no traces.',
    secret: false,
    schema: webUrl.optional(),
  },
  otlpHeaders: {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    default: null,
    meaning:
      'Headers of requests to the collector, such as `authorization=Bearer%20abc`, comma-separated and percent-encoded.',
    secret: true,
    schema: headerList.optional(),
  },
  tracesRatio: {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    default: '1',
    meaning: 'Share of traces that are sent, 0 to 1. A request with a `traceparent` decides for itself.',
    secret: false,
    schema: ratio,
  },
  minFreeMb: {
    name: 'OFFPRINT_MIN_FREE_MB',
    default: '500',
    meaning:
      'Free disk space of the data folder below which a worker starts no exports and /readyz reports it. 0: no minimum.',
    secret: false,
    schema: integer(0, 10_000_000, 'megabytes'),
  },
  idempotencyHours: {
    name: 'OFFPRINT_IDEMPOTENCY_HOURS',
    default: '24',
    meaning: 'Hours for which the response to an Idempotency-Key is stored.',
    secret: false,
    schema: integer(1, 8_760, 'hours'),
  },
  drainSeconds: {
    name: 'OFFPRINT_DRAIN_SECONDS',
    default: '5',
    meaning:
      'Seconds after SIGTERM in which the API still serves requests, while /readyz returns 503 and responses close their connections, so that load balancers stop using the process.',
    secret: false,
    schema: integer(0, 600, 'seconds'),
  },
  shutdownSeconds: {
    name: 'OFFPRINT_SHUTDOWN_SECONDS',
    default: '25',
    meaning: 'Seconds that running exports have to finish when the process stops.',
    secret: false,
    schema: integer(0, 3_600, 'seconds'),
  },
  dashboardDir: {
    name: 'OFFPRINT_DASHBOARD_DIR',
    default: null,
    meaning:
      'Folder of the built dashboard, served at the root of the API. Unset: the dashboard of the command.',
    secret: false,
    schema: z
      .string()
      .transform((path) => resolve(path))
      .optional(),
  },
  docsDir: {
    name: 'OFFPRINT_DOCS_DIR',
    default: null,
    meaning:
      'Folder of the exported documentation of Offprint, served at /docs of the API. Unset: the documentation of the command.',
    secret: false,
    schema: z
      .string()
      .transform((path) => resolve(path))
      .optional(),
  },
  docsUrl: {
    name: 'OFFPRINT_DOCS_URL',
    default: null,
    meaning:
      'URL of the documentation of Offprint that the dashboard links to, such as your own export of it. Unset: the documentation at /docs.',
    secret: false,
    schema: webUrl.optional(),
  },
  metricsPort: {
    name: 'OFFPRINT_METRICS_PORT',
    default: null,
    meaning:
      'Port of the Prometheus metrics at /metrics; 0 selects a free port. Unset: metrics are disabled.',
    secret: false,
    schema: integer(0, 65_535, '').optional(),
  },
  logLevel: {
    name: 'OFFPRINT_LOG_LEVEL',
    default: 'info',
    meaning: 'Minimum log level: trace, debug, info, warn, error, fatal or silent.',
    secret: false,
    schema: z.enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'must be trace, debug, info, warn, error, fatal or silent',
    ),
  },
  logFormat: {
    name: 'OFFPRINT_LOG_FORMAT',
    default: 'json',
    meaning: 'Format of the log on standard error: json (one object per line) or text.',
    secret: false,
    schema: z.enum(['json', 'text'], 'must be json or text'),
  },
} as const satisfies Record<string, Setting>;
