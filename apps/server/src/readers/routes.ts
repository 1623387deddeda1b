import { routes } from '@offprint/contract';
import { changesBetween } from '../platform/http/changes.ts';
import { type HandledRoute, handle } from '../platform/http/route.ts';
import type { ReaderService } from './service.ts';

export function readerRoutes(readers: ReaderService): HandledRoute[] {
  return [
    handle(routes.getReaderAccess, async ({ principal, params }) => ({
      status: 200,
      body: await readers.read(principal.organizationId, params.projectId),
    })),
    handle(routes.updateReaderAccess, async ({ principal, params, body }) => {
      const { before, after } = await readers.update(principal.organizationId, params.projectId, body);
      return { status: 200, body: after, act: { changes: changesBetween(before, after) } };
    }),
    handle(routes.createReaderTokenKey, async ({ principal, params, body }) => ({
      status: 201,
      body: await readers.createTokenKey(principal.organizationId, params.projectId, body.site),
    })),
    handle(routes.signReadersOut, async ({ principal, params, body }) => {
      await readers.signOut(principal.organizationId, params.projectId, body.site);
      return { status: 204 };
    }),
    handle(routes.createReaderCode, async ({ user, body }) => ({
      status: 201,
      body: await readers.createCode(body.request, user),
    })),
  ];
}
