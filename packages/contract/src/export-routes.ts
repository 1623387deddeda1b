import { z } from 'zod';
import {
  createBundleBody,
  exportBundle,
  exportChanges,
  exportJob,
  exportList,
  exportPageChanges,
  exportPreview,
  exportWarnings,
  getExportChangesQuery,
  getExportPageChangesQuery,
  getExportQuery,
  getLatestBundleQuery,
  listExportsQuery,
  startExportBody,
} from './export.ts';
import { idParam } from './id.ts';
import { defineRoute, errorResponses, idempotencyErrors, jsonErrors, keyErrors } from './route.ts';

const tag = 'Static export';
const params = z.strictObject({
  jobId: idParam('Id of the export, as returned by the operation that starts an export.'),
});

export const exportRoutes = {
  startExport: defineRoute({
    operationId: 'startExport',
    method: 'POST',
    path: '/v1/static-export/jobs',
    tag,
    summary: 'Start an export',
    description:
      'Queues an export of the site that the project publishes on `domain`. Poll the job until it is completed or failed. At most 10 exports of an organization are queued or running at a time.',
    scope: 'exports:write',
    limitedKeys: 'filtered',
    role: 'editor',
    plan: 'enterprise',
    body: startExportBody,
    idempotent: true,
    responses: {
      202: {
        description: 'The export is queued.',
        schema: exportJob,
        headers: ['Location', 'Retry-After', 'Idempotent-Replay'],
      },
      ...errorResponses(
        ...keyErrors,
        ...jsonErrors,
        'unknown_page',
        'plan_required',
        'not_found',
        ...idempotencyErrors,
        'too_many_exports',
      ),
    },
  }),
  listExports: defineRoute({
    operationId: 'listExports',
    method: 'GET',
    path: '/v1/static-export/jobs',
    tag,
    summary: 'List exports',
    description: "The organization's exports, newest first.",
    scope: 'exports:read',
    limitedKeys: 'filtered',
    role: 'viewer',
    query: listExportsQuery,
    responses: {
      200: { description: 'One page of exports.', schema: exportList },
      ...errorResponses(...keyErrors),
    },
  }),
  getExport: defineRoute({
    operationId: 'getExport',
    method: 'GET',
    path: '/v1/static-export/jobs/{jobId}',
    tag,
    summary: 'Get an export',
    description:
      'State and progress of an export. With `wait`, the response is sent at the next change or after that number of seconds. With `If-None-Match`, a change is a difference from the state that the client knows.',
    scope: 'exports:read',
    role: 'viewer',
    params,
    query: getExportQuery,
    requestHeaders: {
      'If-None-Match': 'The `ETag` known to the client. The response is 304 if nothing has changed.',
    },
    responses: {
      200: { description: 'The export.', schema: exportJob, headers: ['ETag', 'Retry-After'] },
      304: { description: 'Unchanged.', headers: ['ETag', 'Retry-After'] },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
  deleteExport: defineRoute({
    operationId: 'deleteExport',
    method: 'DELETE',
    path: '/v1/static-export/jobs/{jobId}',
    tag,
    summary: 'Delete an export',
    description:
      'Deletes a completed or failed export with its artifact and bundle. Links to the bundle stop working.',
    scope: 'exports:write',
    role: 'editor',
    params,
    responses: {
      204: { description: 'Deleted.' },
      ...errorResponses(...keyErrors, 'not_found', 'not_finished'),
    },
  }),
  createBundle: defineRoute({
    operationId: 'createBundle',
    method: 'POST',
    path: '/v1/static-export/jobs/{jobId}/bundle',
    tag,
    summary: 'Generate the bundle of an export',
    description:
      'Packs a completed export into one archive and returns a link to it. Only the link expires: send the request again for a new link. Every link leads to the same bytes.',
    scope: 'exports:read',
    role: 'viewer',
    plan: 'enterprise',
    params,
    body: createBundleBody,
    bodyOptional: true,
    idempotent: true,
    responses: {
      200: { description: 'A link to the bundle.', schema: exportBundle, headers: ['Idempotent-Replay'] },
      ...errorResponses(
        ...keyErrors,
        ...jsonErrors,
        'plan_required',
        'not_found',
        'not_completed',
        ...idempotencyErrors,
      ),
    },
  }),
  getLatestBundle: defineRoute({
    operationId: 'getLatestBundle',
    method: 'GET',
    path: '/v1/static-export/bundle',
    tag,
    summary: 'Get the newest bundle of a domain',
    description:
      'The bundle of the newest completed export of `domain`, with a fresh link. For deployments that follow a domain: a key with the scope `exports:read` is enough, and with `If-None-Match` the response is 304 as long as the client has the newest bundle. Newest is the one started last. Only exports of everything count: all pages of the published branch, with the default options; one that was started with `paths`, `source.ref` or other `options` does not. With `version`, the newest export that has this label, of those and of any that was started with it: also one with `options.groups`, whose pages are for certain readers. The key may read every export of the organization, or of the projects to which it is limited, so give such exports labels of their own, and such keys to deployments for these readers only.',
    scope: 'exports:read',
    limitedKeys: 'filtered',
    role: 'viewer',
    plan: 'enterprise',
    query: getLatestBundleQuery,
    requestHeaders: {
      'If-None-Match': 'The `ETag` known to the client. The response is 304 for the same bundle.',
    },
    responses: {
      200: { description: 'The bundle and a link to it.', schema: exportBundle, headers: ['ETag'] },
      304: { description: 'The bundle is unchanged.', headers: ['ETag'] },
      ...errorResponses(...keyErrors, 'plan_required', 'not_found'),
    },
  }),
  cancelExport: defineRoute({
    operationId: 'cancelExport',
    method: 'POST',
    path: '/v1/static-export/jobs/{jobId}/cancel',
    tag,
    summary: 'Cancel an export',
    description:
      'Stops a queued or running export: its status becomes `failed` with the error `Cancelled`. A finished export stays as it is.',
    scope: 'exports:write',
    role: 'editor',
    params,
    responses: {
      200: { description: 'The export.', schema: exportJob },
      ...errorResponses(...keyErrors, ...jsonErrors, 'not_found'),
    },
  }),
  listExportWarnings: defineRoute({
    operationId: 'listExportWarnings',
    method: 'GET',
    path: '/v1/static-export/jobs/{jobId}/warnings',
    tag,
    summary: 'List the warnings of an export',
    description: 'Defects of the source that did not stop the export, by file and line.',
    scope: 'exports:read',
    role: 'viewer',
    params,
    responses: {
      200: { description: 'The warnings.', schema: exportWarnings },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
  getExportChanges: defineRoute({
    operationId: 'getExportChanges',
    method: 'GET',
    path: '/v1/static-export/jobs/{jobId}/changes',
    tag,
    summary: 'Compare two exports',
    description:
      'Pages added, removed and changed since another completed export of the organization. Changed pages are divided by their text, of which exports have a Markdown copy: a new entry in the navigation changes every page and the text of none.',
    scope: 'exports:read',
    role: 'viewer',
    params,
    query: getExportChangesQuery,
    responses: {
      200: { description: 'The changes.', schema: exportChanges },
      ...errorResponses(...keyErrors, 'not_found', 'not_completed'),
    },
  }),
  getExportPageChanges: defineRoute({
    operationId: 'getExportPageChanges',
    method: 'GET',
    path: '/v1/static-export/jobs/{jobId}/changes/page',
    tag,
    summary: 'Compare a page of two exports',
    description: 'The text of one page compared with that of another completed export of the organization.',
    scope: 'exports:read',
    role: 'viewer',
    params,
    query: getExportPageChangesQuery,
    responses: {
      200: { description: 'The changes.', schema: exportPageChanges },
      ...errorResponses(...keyErrors, 'not_found', 'not_completed'),
    },
  }),
  createPreview: defineRoute({
    operationId: 'createPreview',
    method: 'POST',
    path: '/v1/static-export/jobs/{jobId}/preview',
    tag,
    summary: 'Preview an export',
    description:
      'Returns a URL at which the export is served for one hour in a sandbox: its scripts run in an opaque origin and cannot access the dashboard.',
    scope: 'exports:read',
    role: 'viewer',
    params,
    responses: {
      200: { description: 'The preview.', schema: exportPreview },
      ...errorResponses(...keyErrors, ...jsonErrors, 'not_found', 'not_completed'),
    },
  }),
  streamExportEvents: defineRoute({
    operationId: 'streamExportEvents',
    method: 'GET',
    path: '/v1/static-export/jobs/{jobId}/events',
    tag,
    summary: 'Follow an export',
    description:
      'Server-sent events: `progress` with the job now and at every change, `done` with the finished job, then the end. `data` is the job as JSON.',
    scope: 'exports:read',
    role: 'viewer',
    params,
    requestHeaders: {
      'Last-Event-ID': 'The `id` of the last received event. Its state is not sent again.',
    },
    responses: {
      200: { description: 'The events.', contentType: 'text/event-stream' },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
};
