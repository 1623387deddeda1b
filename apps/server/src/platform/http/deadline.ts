import type { FastifyInstance } from 'fastify';
import { AppError } from './error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Milliseconds from the head of a request to the head of its response; default `RESPONSE_MS`. */
    responseMs?: number;
  }
}

/** Seconds for everything but long polls, uploads and what the contract gives more time. */
export const RESPONSE_SECONDS = 60;

/**
 * Ends a request whose response has not started in time with a 503, whatever it waits for, such as a database that
 * neither responds nor closes its connections. What runs is not interrupted; a response that it makes later is dropped.
 */
export function limitDuration(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    const ms = request.routeOptions.config.responseMs ?? RESPONSE_SECONDS * 1_000;
    const timer = setTimeout(() => {
      if (reply.sent) return;
      reply.send(
        new AppError(
          'unavailable',
          `The server did not complete the request within ${Math.round(ms / 1_000)} s. It may still complete it; check the result before you send the request again.`,
          { headers: { 'Retry-After': '5' } },
        ),
      );
    }, ms);
    reply.raw.once('close', () => clearTimeout(timer));
  });
}
