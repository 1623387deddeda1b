import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { AppError, notFound } from './error.ts';
import type { LimitAnonymous } from './server.ts';

/**
 * Lets only site servers make a request: they send the token of the installation. Without one, the endpoints do not
 * exist. Requests without the right token count as those of strangers.
 */
export function requireSiteServer(
  token: string | undefined,
  limitAnonymous: LimitAnonymous,
): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    if (token !== undefined && isToken(request.headers.authorization, token)) return;
    await limitAnonymous(request);
    if (token === undefined) throw notFound('route');
    throw new AppError('unauthorized', 'The token of the site server is missing or wrong.', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  };
}

/** Takes as long whichever is wrong. */
function isToken(header: string | undefined, token: string): boolean {
  const given = /^Bearer (\S+)$/i.exec(header ?? '')?.[1] ?? '';
  const digestOf = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digestOf(given), digestOf(token));
}
