import { z } from 'zod';
import { integer, list, publicUrl, type Setting } from './setting.ts';

/** Exports and their sources. */
export const exportsSettings = {
  previewUrl: {
    name: 'OFFPRINT_PREVIEW_URL',
    default: null,
    meaning:
      'Other address under which clients reach the API, used for previews of exports, so that they have an origin of their own. Unset: the public one, with the pages sandboxed.',
    secret: false,
    schema: publicUrl.optional(),
  },
  features: {
    name: 'OFFPRINT_FEATURES',
    default: '',
    meaning:
      'Configurable features that this installation provides, comma-separated, of search, assistant, analytics and playground. Projects switch them; that of search changes nothing yet, since there is no hosted one.',
    secret: false,
    schema: list.refine(
      (items) => items.every((item) => ['search', 'assistant', 'analytics', 'playground'].includes(item)),
      'must be a list of search, assistant, analytics and playground',
    ),
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
  exportCpuSeconds: {
    name: 'OFFPRINT_EXPORT_CPU_SECONDS',
    default: '900',
    meaning: 'CPU time that the rendering of one export may use on all cores together, in seconds.',
    secret: false,
    schema: integer(1, 86_400, 'seconds'),
  },
  exportTimeoutSeconds: {
    name: 'OFFPRINT_EXPORT_TIMEOUT_SECONDS',
    default: '7200',
    meaning:
      'Time after which a rendering counts as hung, in seconds. Keep it much higher than OFFPRINT_EXPORT_CPU_SECONDS: on a busy machine a rendering waits for the CPU.',
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
  exportNice: {
    name: 'OFFPRINT_EXPORT_NICE',
    default: null,
    meaning:
      'Niceness of renders and docs checks, 0 (normal priority) to 19 (lowest). Unset: 10 in a process that also serves the API, 0 in a worker of its own.',
    secret: false,
    schema: integer(0, 19, 'steps').optional(),
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
    meaning:
      'Days after which finished exports and their files are deleted, but for the newest export of everything of each domain that a project publishes on; 0 keeps them. Exports that deployments pin by label are not kept.',
    secret: false,
    schema: integer(0, 36_500, 'days'),
  },
} as const satisfies Record<string, Setting>;
