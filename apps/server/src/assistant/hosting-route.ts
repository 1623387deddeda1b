import { Readable } from 'node:stream';
import { assistantMessageBody } from '@offprint/contract';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { AppError, notFound } from '../platform/http/error.ts';
import type { LimitAnonymous } from '../platform/http/server.ts';
import { requireSiteServer } from '../platform/http/site-server.ts';
import type { AssistantService } from './service.ts';
import { STREAM_HEADERS, uiMessageStream } from './stream.ts';

const host = z.string().min(1).max(253);

/** A question as a site server passes it on, after it has checked the access of the reader. */
const question = z.object({
  host,
  /** Digest of the bundle that this reader gets. */
  bundle: z.string().regex(/^[0-9a-f]{64}$/),
  reader: z.object({ isSignedIn: z.boolean(), groups: z.array(z.string().max(500)).max(1_000) }),
  address: z.string().max(100),
  body: assistantMessageBody.extend({
    fp: z.string().max(200).default('anonymous'),
    /** The reader asks on another site, which embeds the assistant. */
    isEmbedded: z.boolean().default(false),
    proof: z.object({ challenge: z.string().max(200), solution: z.string().max(20) }).optional(),
  }),
});

const feedback = z.object({
  host,
  body: z.object({ messageId: z.string().max(100), rating: z.enum(['up', 'down']).nullable() }),
});

/** Registers what site servers relay for the assistants of their sites. `token` undefined: the endpoints do not exist. */
export function registerAssistantRoutes(
  app: FastifyInstance,
  assistant: AssistantService,
  { token, limitAnonymous }: { token: string | undefined; limitAnonymous: LimitAnonymous },
): void {
  const closing = new AbortController();
  app.addHook('preClose', async () => closing.abort());
  const onRequest = requireSiteServer(token, limitAnonymous);

  app.post('/v1/hosting/assistant', { onRequest }, async (request, reply) => {
    const { host: name, bundle, reader, address, body } = read(question, request.body);
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const site = await siteOf(name);
    const { messageId, threadId, events } = await assistant.ask(
      site,
      {
        caller: body.isEmbedded ? 'other' : 'web',
        groups: reader.groups,
        identity: address,
        isAnonymous: true,
        origin: body.isEmbedded ? `https://${site.host}` : '',
        bundle,
      },
      body,
      body.proof ?? null,
      AbortSignal.any([closing.signal, gone.signal]),
    );
    reply.headers(STREAM_HEADERS);
    return reply.send(Readable.from(uiMessageStream(messageId, threadId, events), { objectMode: false }));
  });

  app.post('/v1/hosting/assistant/feedback', { onRequest }, async (request, reply) => {
    const { host: name, body } = read(feedback, request.body);
    const site = await siteOf(name);
    if (!(await assistant.rate(site.projectId, body.messageId, body.rating))) throw notFound('answer');
    return reply.code(204).send();
  });

  app.post('/v1/hosting/assistant/panel', { onRequest }, async (request, reply) => {
    const { host: name } = read(z.object({ host }), request.body);
    return reply.send(await assistant.panel(await siteOf(name)));
  });

  async function siteOf(name: string) {
    const site = await assistant.findHost(name);
    if (site === undefined) throw notFound('site');
    return site;
  }
}

function read<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = `/${issue?.path.slice(issue.path[0] === 'body' ? 1 : 0).join('/') ?? ''}`;
  throw new AppError('invalid_request', `${place}: ${issue?.message ?? 'The body is not valid'}.`, {
    param: place,
  });
}
