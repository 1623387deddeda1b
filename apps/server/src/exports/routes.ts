import { type ExportJob, routes } from '@offprint/contract';
import { etagOf, matchesEtag } from '../platform/http/etag.ts';
import { type HandledRoute, handle } from '../platform/http/route.ts';
import type { ExportService } from './service.ts';

export function exportRoutes(exports: ExportService): HandledRoute[] {
  return [
    handle(routes.startExport, ({ principal, body, target, header, signal }) =>
      exports.start(principal, body, {
        key: header('Idempotency-Key'),
        target,
        signal,
        createdBy: principal.name,
      }),
    ),
    handle(routes.listExports, async ({ principal, query }) => ({
      status: 200,
      body: await exports.list(principal, query),
    })),
    handle(routes.getExport, async ({ principal, params, query, header, signal }) => {
      const { organizationId } = principal;
      const known = header('If-None-Match');
      const job =
        query.wait === 0
          ? await exports.read(organizationId, params.jobId)
          : await exports.readChanged(organizationId, params.jobId, {
              seconds: query.wait,
              isKnown: known === undefined ? undefined : (now) => matchesEtag(known, etagOfJob(now)),
              signal,
            });
      return { status: 200, body: job, headers: retryAfter(job), etag: etagOfJob(job) };
    }),
    handle(routes.deleteExport, async ({ principal, params }) => {
      await exports.delete(principal.organizationId, params.jobId);
      return { status: 204 };
    }),
    handle(routes.createBundle, ({ principal, params, body, target, header }) =>
      exports.bundleOnce(principal.organizationId, params.jobId, body, {
        key: header('Idempotency-Key'),
        target,
      }),
    ),
    handle(routes.getLatestBundle, async ({ principal, query, header }) => {
      const known = header('If-None-Match');
      const bundle = await exports.latestBundle(principal, query, (sha256) =>
        matchesEtag(known, `"${sha256}"`),
      );
      // Not for caches: what they would give again holds a link that expires.
      const headers = { ETag: `"${bundle.sha256}"`, 'Cache-Control': 'no-store' };
      return bundle.bundleUrl === null ? { status: 304, headers } : { status: 200, headers, body: bundle };
    }),
    handle(routes.cancelExport, async ({ principal, params }) => ({
      status: 200,
      body: await exports.cancel(principal.organizationId, params.jobId),
    })),
    handle(routes.listExportWarnings, async ({ principal, params }) => ({
      status: 200,
      body: await exports.warnings(principal.organizationId, params.jobId),
    })),
    handle(routes.getExportChanges, async ({ principal, params, query }) => ({
      status: 200,
      body: await exports.changes(principal, params.jobId, query.since),
    })),
    handle(routes.getExportPageChanges, async ({ principal, params, query }) => ({
      status: 200,
      body: await exports.pageChanges(principal, params.jobId, query),
    })),
    handle(routes.getChangeReport, async ({ principal, params, query }) => ({
      status: 200,
      body: await exports.report(principal, params.jobId, query.since),
    })),
    handle(routes.createPreview, async ({ principal, params }) => ({
      status: 200,
      body: await exports.createPreview(principal.organizationId, params.jobId),
    })),
    handle(routes.streamExportEvents, async ({ principal, params, header, signal }) => ({
      status: 200,
      events: await exports.events(principal.organizationId, params.jobId, {
        lastEventId: header('Last-Event-ID'),
        signal,
      }),
    })),
  ];
}

const etagOfJob = (job: ExportJob) => etagOf(JSON.stringify(job));

/** Seconds until a poll is worth it, while the export is not finished. */
function retryAfter(job: ExportJob): Record<string, string> {
  return job.status === 'queued' || job.status === 'running' ? { 'Retry-After': '1' } : {};
}
