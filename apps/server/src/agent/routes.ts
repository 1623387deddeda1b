import { type AgentJob, routes } from '@offprint/contract';
import { changesBetween } from '../platform/http/changes.ts';
import { AppError } from '../platform/http/error.ts';
import { etagOf, matchesEtag } from '../platform/http/etag.ts';
import { type HandledRoute, handle } from '../platform/http/route.ts';
import type { AgentService } from './service.ts';

export function agentRoutes(agent: AgentService): HandledRoute[] {
  return [
    handle(routes.createAgentJob, ({ principal, params, body, target, header }) =>
      agent.create(principal, params.projectId, body, { key: header('Idempotency-Key'), target }),
    ),
    handle(routes.listAgentJobs, async ({ principal, params, query }) => ({
      status: 200,
      body: await agent.list(principal.organizationId, params.projectId, query),
    })),
    handle(routes.getAgentJob, async ({ principal, params, query, header, signal }) => {
      const name = { organizationId: principal.organizationId, ...params };
      const known = header('If-None-Match');
      const job =
        query.wait === 0
          ? await agent.read(name)
          : await agent.readChanged(name, {
              seconds: query.wait,
              isKnown: known === undefined ? undefined : (now) => matchesEtag(known, etagOfJob(now)),
              signal,
            });
      return { status: 200, body: job, headers: retryAfter(job), etag: etagOfJob(job) };
    }),
    handle(routes.sendAgentMessage, ({ principal, params, body, target, header }) =>
      agent.message(principal, params.projectId, params.id, body, { key: header('Idempotency-Key'), target }),
    ),
    handle(routes.archiveAgentJob, async ({ principal, params }) => ({
      status: 200,
      body: await agent.archive({ organizationId: principal.organizationId, ...params }),
    })),
    handle(routes.cancelAgentJob, async ({ principal, params }) => ({
      status: 200,
      body: await agent.cancel({ organizationId: principal.organizationId, ...params }),
    })),
    handle(routes.streamAgentJobEvents, async ({ principal, params, header, signal }) => ({
      status: 200,
      events: await agent.events(
        { organizationId: principal.organizationId, ...params },
        lastEventId(header('Last-Event-ID')),
        signal,
      ),
    })),
    handle(routes.getAgentJobDiff, async ({ principal, params }) => ({
      status: 200,
      body: await agent.diff({ organizationId: principal.organizationId, ...params }),
    })),
    handle(routes.getAgentSettings, async ({ principal, params }) => ({
      status: 200,
      body: await agent.settings(principal.organizationId, params.projectId),
    })),
    handle(routes.testAgentModel, async ({ principal, params, signal }) => ({
      status: 200,
      body: await agent.testModel(principal.organizationId, params.projectId, signal),
    })),
    handle(routes.updateAgentSettings, async ({ principal, params, body }) => {
      const { organizationId } = principal;
      const { before, settings } = await agent.updateSettings(organizationId, params.projectId, body);
      return { status: 200, body: settings, act: { changes: changesBetween(before, settings, body) } };
    }),
  ];
}

const etagOfJob = (job: AgentJob) => etagOf(JSON.stringify(job));

/** Seconds until a poll is worth it, while the job is active. */
function retryAfter(job: AgentJob): Record<string, string> {
  return job.status === 'active' ? { 'Retry-After': '2' } : {};
}

/** The event after which a stream resumes; 0 for the start. */
function lastEventId(header: string | undefined): number {
  if (header === undefined || header === '') return 0;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  throw new AppError('invalid_request', 'Last-Event-ID must be the id of an event of this stream.', {
    param: 'Last-Event-ID',
  });
}
