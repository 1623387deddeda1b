import type { FastifyInstance } from 'fastify';
import type { Kysely } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { AppError } from '../platform/http/error.ts';
import type { LimitAnonymous } from '../platform/http/server.ts';
import { requireSiteServer } from '../platform/http/site-server.ts';
import { MAX_BATCH_EVENTS, readBatch } from './batch.ts';
import { ingestBatch } from './ingest.ts';

/**
 * Registers `POST /v1/hosting/events`, with which site servers report what readers did. A response means that the events
 * are stored; the same batch again changes nothing.
 */
export function registerEventsRoute(
  app: FastifyInstance,
  { db, token }: { db: Kysely<Database>; token: string | undefined },
  limitAnonymous: LimitAnonymous,
): void {
  app.post('/v1/hosting/events', {
    onRequest: requireSiteServer(token, limitAnonymous),
    handler: async (request, reply) => {
      const batch = readBatch(request.body);
      if (batch === null)
        throw new AppError(
          'invalid_request',
          `The body is not a batch: it needs an id and at most ${MAX_BATCH_EVENTS} events.`,
        );
      const ingested = await ingestBatch(db, batch, new Date());
      if (ingested.dropped > 0) request.log.warn(ingested, 'events were dropped');
      return reply.send(ingested);
    },
  });
}
