import { createGate, createSearchCache } from '@offprint/search';
import type { Analytics } from '../analytics/analytics.ts';
import type { Log } from '../log.ts';
import { type AssistantPlatform, createAssistantService } from './assistant.ts';
import { createEventsService } from './events.ts';
import { feedbackOfAgents } from './feedback.ts';
import { createMcpServices } from './mcp.ts';
import { createSearchService } from './search.ts';
import type { Service } from './service.ts';

export interface ServiceParts {
  log: Log | undefined;
  /** Undefined where nobody counts readers. */
  analytics?: Analytics;
  /** The platform that answers questions; without one, there is no assistant. */
  assistant?: AssistantPlatform;
}

/** Memory of the search indexes of all sites. */
const SEARCH_BYTES = 32 * 1024 * 1024;
/** Searches at the same time: each uses the one thread of the process, and its files are in memory meanwhile. */
const SEARCHES = { running: 4, waiting: 200 };

/** All services, asked in this order. A new one is a file of its own and a line here. */
export function createServices({ log, analytics, assistant }: ServiceParts): Service[] {
  const cache = createSearchCache(SEARCH_BYTES);
  const gate = createGate(SEARCHES.running, SEARCHES.waiting);
  return [
    ...(analytics === undefined ? [] : [createEventsService(analytics)]),
    ...(assistant === undefined ? [] : [createAssistantService(assistant)]),
    createSearchService({ cache, gate, log }),
    ...createMcpServices({
      cache,
      gate,
      log,
      findFeedback: analytics === undefined ? undefined : feedbackOfAgents(analytics),
    }),
  ];
}
