import type { FastifyInstance } from 'fastify';
import { AppError } from '../platform/http/error.ts';
import type { LimitAnonymous } from '../platform/http/server.ts';
import { requireSiteServer } from '../platform/http/site-server.ts';
import type { SignIn } from './sign-in.ts';
import { signInRequest } from './visit.ts';

/**
 * Registers `POST /v1/hosting/sign-in`, with which site servers pass on what readers request below `/login`. `token`:
 * that of the site servers; undefined: the endpoint does not exist.
 */
export function registerSignInRoute(
  app: FastifyInstance,
  signIn: SignIn,
  { token, limitAnonymous }: { token: string | undefined; limitAnonymous: LimitAnonymous },
): void {
  app.post('/v1/hosting/sign-in', {
    onRequest: requireSiteServer(token, limitAnonymous),
    handler: async (request, reply) => {
      const parsed = signInRequest.safeParse(request.body);
      if (!parsed.success) throw new AppError('invalid_request', 'The body is not a request of a reader.');
      return reply.send(await signIn(parsed.data));
    },
  });
}
