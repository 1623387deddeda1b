import type { ExportBundle } from '@offprint/contract';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { AppError } from '../platform/http/error.ts';
import { matchesEtag } from '../platform/http/etag.ts';
import type { LimitAnonymous } from '../platform/http/server.ts';
import { requireSiteServer } from '../platform/http/site-server.ts';
import type { Sites } from './sites.ts';

/** Longest time for which a request for the sites waits for a change. */
const MAX_WAIT_SECONDS = 30;

const query = z.object({
  after: z.string().min(1).max(100).optional(),
  waitSeconds: z.coerce.number().int().min(0).max(MAX_WAIT_SECONDS).default(0),
});

export interface HostingAdapters {
  /** Undefined: the endpoints do not exist. */
  token: string | undefined;
  sites: Sites;
  /** Digest of the bundle of a successful deployment of any organization; throws the 404. */
  digestOf(deploymentId: string): Promise<string>;
  bundleOf(deploymentId: string): Promise<ExportBundle>;
}

/** Serves the protocol between site servers and the platform: which sites there are, and their bundles. */
export function registerHostingRoutes(
  app: FastifyInstance,
  { token, sites, digestOf, bundleOf }: HostingAdapters,
  limitAnonymous: LimitAnonymous,
): void {
  const closing = new AbortController();
  app.addHook('preClose', async () => closing.abort());

  const onRequest = requireSiteServer(token, limitAnonymous);

  app.get('/v1/hosting/sites', { onRequest }, async (request, reply) => {
    const parsed = query.safeParse(request.query);
    if (!parsed.success) {
      throw new AppError('invalid_request', `waitSeconds must be a number from 0 to ${MAX_WAIT_SECONDS}.`, {
        param: 'waitSeconds',
      });
    }
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const { after, waitSeconds } = parsed.data;
    const list = await sites.readChanged(after, waitSeconds, AbortSignal.any([closing.signal, gone.signal]));
    return list === null ? reply.code(304).send() : reply.send(list);
  });

  app.get<{ Params: { deploymentId: string } }>(
    '/v1/hosting/deployments/:deploymentId/bundle',
    { onRequest },
    async (request, reply) => {
      const { deploymentId } = request.params;
      const etag = `"${await digestOf(deploymentId)}"`;
      reply.header('ETag', etag);
      if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
      const { bundleUrl, sha256, sizeBytes, indexUrl } = await bundleOf(deploymentId);
      return reply.send({ bundleUrl, sha256, sizeBytes, indexUrl });
    },
  );
}
