import { randomUUID } from 'node:crypto';
import type { Analytics } from '../analytics/analytics.ts';
import { createMinuteLimit } from './events.ts';
import type { FindFeedback } from './mcp.ts';

/** Keeps reports of agents with the feedback of readers, on sites whose readers may be counted. */
export function feedbackOfAgents(analytics: Analytics): FindFeedback {
  const limit = createMinuteLimit();
  return ({ site: { host, projectId, isMeasured }, exchange: { request } }) => {
    if (!isMeasured || host === null || projectId === null || !analytics.mayCount(request)) return null;
    return async ({ path, text }) =>
      limit.take(analytics.visitorOf(request, host), host, 1) &&
      analytics.record(
        request,
        { host, projectId },
        {
          ...{ kind: 'feedback', path: `/${path === 'index' ? '' : path}`, entry: randomUUID() },
          ...{ helpful: null, comment: text, isAgent: true },
        },
      );
  };
}
