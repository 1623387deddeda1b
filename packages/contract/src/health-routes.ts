import { health, readiness } from './health.ts';
import { defineRoute, errorResponses } from './route.ts';

const tag = 'Health';

export const healthRoutes = {
  getHealth: defineRoute({
    operationId: 'getHealth',
    method: 'GET',
    path: '/healthz',
    tag,
    summary: 'Liveness',
    description: 'Whether the process runs.',
    scope: null,
    responses: { 200: { description: 'It runs.', schema: health } },
  }),
  getReadiness: defineRoute({
    operationId: 'getReadiness',
    method: 'GET',
    path: '/readyz',
    tag,
    summary: 'Readiness',
    description: 'Whether the process can serve requests, by component.',
    scope: null,
    responses: {
      200: { description: 'It can serve.', schema: readiness },
      503: { description: 'It cannot serve now.', schema: readiness, headers: ['Retry-After'] },
    },
  }),
  getOpenApi: defineRoute({
    operationId: 'getOpenApi',
    method: 'GET',
    path: '/openapi.json',
    tag,
    summary: 'Get the OpenAPI description',
    description: 'The description of this API, OpenAPI 3.1.',
    scope: null,
    responses: {
      200: { description: 'The document.', contentType: 'application/json' },
      ...errorResponses('internal'),
    },
  }),
};
