import { z } from 'zod';
import { integer, list, planLimits, publicUrl, type Setting } from './setting.ts';

/** Exports and their sources. */
export const exportsSettings = {
  previewUrl: {
    name: 'OFFPRINT_PREVIEW_URL',
    default: null,
    meaning:
      'Another URL of the API, used for previews of exports, so that they have a separate origin. Unset: OFFPRINT_PUBLIC_URL, with sandboxed pages.',
    secret: false,
    schema: publicUrl.optional(),
  },
  features: {
    name: 'OFFPRINT_FEATURES',
    default: '',
    meaning:
      'Configurable features that this installation provides, comma-separated: search, assistant, analytics and playground. Projects can switch them. search and playground have no effect here: projects can switch them without it. assistant and analytics also require OFFPRINT_HOSTING_TOKEN.',
    secret: false,
    schema: list.refine(
      (items) => items.every((item) => ['search', 'assistant', 'analytics', 'playground'].includes(item)),
      'must be a list of search, assistant, analytics and playground',
    ),
  },
  maxActiveExports: {
    name: 'OFFPRINT_MAX_ACTIVE_EXPORTS',
    default: '10',
    meaning: 'Maximum number of queued and running exports of one organization.',
    secret: false,
    schema: integer(1, 100_000, 'exports'),
  },
  maxRunningExports: {
    name: 'OFFPRINT_MAX_RUNNING_EXPORTS',
    default: '10',
    meaning:
      'Maximum number of exports of one organization that run at the same time, on all workers together.',
    secret: false,
    schema: integer(1, 100_000, 'exports'),
  },
  quotaDailyExports: {
    name: 'OFFPRINT_QUOTA_DAILY_EXPORTS',
    default: '0',
    meaning:
      'Maximum number of exports that one organization starts in a day (UTC): one number, or numbers by plan such as `pro=50,enterprise=500`. 0 and plans that are left out: no limit.',
    secret: false,
    schema: planLimits('exports'),
  },
  quotaDailyAgentJobs: {
    name: 'OFFPRINT_QUOTA_DAILY_AGENT_JOBS',
    default: '0',
    meaning:
      'Maximum number of agent jobs that one organization creates in a day (UTC): one number, or numbers by plan. 0 and plans that are left out: no limit.',
    secret: false,
    schema: planLimits('agent jobs'),
  },
  quotaStorageMb: {
    name: 'OFFPRINT_QUOTA_STORAGE_MB',
    default: '0',
    meaning:
      'Size of the bundles of all stored exports of one organization, in megabytes (1,000,000 bytes), at which it can start no more exports: one number, or numbers by plan. Equal bundles count once. 0 and plans that are left out: no limit.',
    secret: false,
    schema: planLimits('megabytes'),
  },
  maxUploadMb: {
    name: 'OFFPRINT_MAX_UPLOAD_MB',
    default: '256',
    meaning: 'Maximum size of an uploaded source archive in megabytes (1,000,000 bytes).',
    secret: false,
    schema: integer(1, 100_000, 'megabytes'),
  },
  maxSourceMb: {
    name: 'OFFPRINT_MAX_SOURCE_MB',
    default: '2048',
    meaning: 'Maximum size of an unpacked source in megabytes (1,000,000 bytes).',
    secret: false,
    schema: integer(1, 1_000_000, 'megabytes'),
  },
  exportConcurrency: {
    name: 'OFFPRINT_EXPORT_CONCURRENCY',
    default: '2',
    meaning:
      'Maximum number of exports that one worker or renderer runs at the same time. If several organizations have projects, one organization has at most one less on each worker, unless the value is 1.',
    secret: false,
    schema: integer(1, 256, 'exports'),
  },
  exportCpuSeconds: {
    name: 'OFFPRINT_EXPORT_CPU_SECONDS',
    default: '900',
    meaning: 'Maximum CPU time for rendering one export, in seconds, summed over all cores.',
    secret: false,
    schema: integer(1, 86_400, 'seconds'),
  },
  exportTimeoutSeconds: {
    name: 'OFFPRINT_EXPORT_TIMEOUT_SECONDS',
    default: '7200',
    meaning:
      'Seconds after which a render process is considered hung. Use a much higher value than OFFPRINT_EXPORT_CPU_SECONDS, because render processes wait for the CPU on a busy machine.',
    secret: false,
    schema: integer(1, 86_400, 'seconds'),
  },
  exportMemoryMb: {
    name: 'OFFPRINT_EXPORT_MEMORY_MB',
    default: '2048',
    meaning: 'Maximum memory for rendering one export, in megabytes.',
    secret: false,
    schema: integer(256, 1_000_000, 'megabytes'),
  },
  exportOutputMb: {
    name: 'OFFPRINT_EXPORT_OUTPUT_MB',
    default: '8192',
    meaning: 'Maximum size of the files of one export, in megabytes.',
    secret: false,
    schema: integer(1, 1_000_000, 'megabytes'),
  },
  exportNice: {
    name: 'OFFPRINT_EXPORT_NICE',
    default: '10',
    meaning:
      'Niceness of render processes and docs checks, 0 (normal priority) to 19 (lowest): they use what the API, the worker itself and other programs on the machine leave.',
    secret: false,
    schema: integer(0, 19, 'steps'),
  },
  rendererUrl: {
    name: 'OFFPRINT_RENDERER_URL',
    default: null,
    meaning:
      'URL of the renderers, such as http://renderer:4200. API and workers send them the docs to process. Unset: docs are processed in child processes of API and workers.',
    secret: false,
    schema: publicUrl
      .refine((url) => url.startsWith('http:'), 'must be an http URL such as http://renderer:4200')
      .optional(),
  },
  rendererPort: {
    name: 'OFFPRINT_RENDERER_PORT',
    default: '4200',
    meaning: 'Port of the renderer, on the IP address OFFPRINT_HOST; 0 selects a free port.',
    secret: false,
    schema: integer(0, 65_535, ''),
  },
  exportFetch: {
    name: 'OFFPRINT_EXPORT_FETCH',
    default: 'deny',
    meaning:
      'Whether exports fetch images, fonts, style sheets, scripts and API descriptions from other hosts and include copies in the bundle: allow or deny. Projects with the deployment type air-gapped never fetch.',
    secret: false,
    schema: z.enum(['allow', 'deny'], 'must be allow or deny'),
  },
  exportRetentionDays: {
    name: 'OFFPRINT_EXPORT_RETENTION_DAYS',
    default: '0',
    meaning:
      'Days after which finished exports and their files are deleted, except the newest full export of each domain on which a project is published; 0 keeps all. Exports that deployments pin by label are not kept.',
    secret: false,
    schema: integer(0, 36_500, 'days'),
  },
  exportRetentionCount: {
    name: 'OFFPRINT_EXPORT_RETENTION_COUNT',
    default: '0',
    meaning:
      'Number of completed exports, and of failed ones, that are kept of each domain; older ones and their files are deleted, except the newest full export of each domain on which a project is published. 0 keeps all. `offprint admin retention` shows what would be deleted.',
    secret: false,
    schema: integer(0, 1_000_000, 'exports'),
  },
} as const satisfies Record<string, Setting>;
