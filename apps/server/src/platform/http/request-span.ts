import type { FastifyRequest } from 'fastify';
import { type OpenSpan, openSpan } from '../tracing.ts';

/** The span of a request to an operation of the API. */
export function spanOf(request: FastifyRequest): OpenSpan | undefined {
  const { url: route } = request.routeOptions;
  if (route === undefined || !/^\/v\d/.test(route)) return undefined;
  const { traceparent } = request.headers;
  return openSpan(`${request.method} ${route}`, {
    kind: 'server',
    parent: typeof traceparent === 'string' ? traceparent : null,
    // Not the path: a part of it can be a token.
    attributes: {
      'http.request.method': request.method,
      'http.route': route,
      'offprint.request.id': request.id,
    },
  });
}
