import { z } from 'zod';
import { exampleOf } from './openapi-example.ts';
import { limitedKeysOf, type ResponseHeader, type Route, type RouteResponse } from './route.ts';
import { routes } from './routes.ts';
import { tags } from './tags.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

const componentUri = (id: string) => `#/components/schemas/${id}`;

const COMMON_HEADERS = ['X-Request-Id', 'traceparent', 'RateLimit', 'RateLimit-Policy'] as const;

const headerDescriptions: Record<ResponseHeader | (typeof COMMON_HEADERS)[number], JsonObject> = {
  'X-Request-Id': {
    description:
      'Id of the request in the logs: the one that the request has in this header, if it consists of 1 to 64 letters, digits, `.`, `_` and `-`.',
    schema: { type: 'string' },
  },
  traceparent: {
    description: 'Continues the trace of a request with a valid `traceparent` (W3C Trace Context).',
    schema: { type: 'string' },
  },
  RateLimit: {
    description:
      'What is left of the limit: requests that may be sent now (`r`) and seconds until the whole limit is available again (`t`), such as `"key";r=599;t=1`.',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description: 'The limit: requests (`q`) in a number of seconds (`w`), such as `"key";q=600;w=60`.',
    schema: { type: 'string' },
  },
  Location: { description: 'Path of the new object.', schema: { type: 'string', format: 'uri-reference' } },
  'Retry-After': { description: 'Seconds to wait before the next request.', schema: { type: 'integer' } },
  ETag: { description: 'Version of the response, for `If-None-Match`.', schema: { type: 'string' } },
  'WWW-Authenticate': { description: '`Bearer`.', schema: { type: 'string' } },
  'Idempotent-Replay': {
    description: '`true` if this is the stored first response to the `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
};

/** The OpenAPI 3.1 description of the API, made from `routes`. The same in every process and on every day. */
export function openApiDocument(options: { serverUrl?: string } = {}): JsonObject {
  const paths: Record<string, JsonObject> = {};
  const list: Route[] = Object.values(routes);
  for (const route of list) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) };
  }
  const schemas = componentsOf(paths);
  addExamples(paths, schemas);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Offprint Admin API',
      version: '2.0.0',
      description:
        'Pre-renders documentation sites to static files and delivers each as one archive. Every error response is `{error}` with a stable `code`.',
      contact: { name: 'Offprint' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.serverUrl ?? '/' }],
    security: [{ adminKey: [] }, { session: [] }],
    tags: [...new Set(list.map((route) => route.tag))].map((name) => ({ name, description: tags[name] })),
    paths,
    components: {
      securitySchemes: {
        adminKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'Admin API key: `Authorization: Bearer offprint_...`. Keep it on servers; never include it in a page. The description of an operation states the scope that it needs, and how it treats keys that are limited to projects; for programs, `x-scope` and `x-limited-keys` (`path`, `filtered` or `refused`) state the same.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-offprint_session',
          description:
            'Session of the dashboard; `offprint_session` if the server is used over http. Requests for an organization name it in the header `Offprint-Organization`. Requests other than GET and HEAD must come from pages of the same origin.',
        },
      },
      headers: headerDescriptions,
      schemas,
    },
  };
}

/** Each JSON body with a schema in a request and in a successful response shows an example. */
function addExamples(paths: Record<string, JsonObject>, schemas: JsonObject): void {
  const start = componentUri('');
  const resolve = (reference: string): Json | undefined => schemas[reference.slice(start.length)];
  for (const operation of Object.values(paths).flatMap((item) => Object.values(item) as JsonObject[])) {
    const successful = Object.entries(operation.responses as JsonObject).filter(([status]) =>
      /^2/.test(status),
    );
    for (const body of [operation.requestBody, ...successful.map(([, response]) => response)]) {
      const media = ((body as JsonObject | undefined)?.content as JsonObject | undefined)?.[
        'application/json'
      ];
      const schema = (media as JsonObject | undefined)?.schema;
      // The body of a webhook is defined by the forge that sends it.
      if (schema === undefined) continue;
      (media as JsonObject).example = exampleOf(schema, resolve);
    }
  }
}

function operationOf(route: Route): JsonObject {
  const operation: JsonObject = {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    description: `${route.description}\n\n${requirementsOf(route)}`,
  };
  if (route.scope !== null) {
    operation['x-scope'] = route.scope;
    operation['x-limited-keys'] = limitedKeysOf(route);
    if (route.role !== undefined) operation['x-role'] = route.role;
    operation.security = [{ adminKey: [] }, { session: [] }];
  } else {
    operation.security = route.access === undefined ? [] : [{ session: [] }];
    if (route.access !== undefined) operation['x-access'] = route.access;
  }
  if (route.plan !== undefined) operation['x-plan'] = route.plan;
  const parameters = [
    ...parametersOf(route.params, 'path'),
    ...parametersOf(route.query, 'query'),
    ...headersOf(route),
  ];
  if (parameters.length > 0) operation.parameters = parameters;
  if (route.body !== undefined) {
    operation.requestBody = {
      required: route.bodyOptional !== true,
      content: { 'application/json': { schema: schemaOf(route.body) } },
    };
  }
  if (route.bytes !== undefined) {
    operation.requestBody = {
      required: true,
      content: Object.fromEntries(route.bytes.map((type) => [type, {}])),
    };
  }
  operation.responses = Object.fromEntries(
    Object.entries(route.responses).map(([status, response]) => [status, responseOf(response)]),
  );
  return operation;
}

const LIMITED_KEYS: Readonly<Record<ReturnType<typeof limitedKeysOf>, string>> = {
  path: 'A key that is limited to projects can use it for its projects.',
  filtered: 'A key that is limited to projects gets only what belongs to its projects.',
  refused: 'A key that is limited to projects gets `403`.',
};

/** Who can use the operation, in the words of readers: the `x-` members state the same for programs. */
function requirementsOf(route: Route): string {
  const plan =
    route.plan === undefined ? [] : [`The organization needs at least the plan \`${route.plan}\`.`];
  if (route.scope !== null) {
    const key = `Requires an API key with the scope \`${route.scope}\``;
    const member =
      route.role === undefined ? '' : `, or a signed-in member with at least the role \`${route.role}\``;
    return [`${key}${member}.`, ...plan, LIMITED_KEYS[limitedKeysOf(route)]].join(' ');
  }
  const who = { user: 'Requires a signed-in user.', operator: 'Requires a signed-in operator.' };
  const access = route.access === undefined ? 'No authentication is required.' : who[route.access];
  return [access, ...plan].join(' ');
}

function parametersOf(schema: z.ZodObject | undefined, place: 'path' | 'query'): JsonObject[] {
  if (schema === undefined) return [];
  const object = schemaOf(schema);
  const required = (object.required ?? []) as string[];
  return Object.entries(object.properties as Record<string, JsonObject>).map(([name, property]) => {
    const { description, examples, ...rest } = property;
    const parameter: JsonObject = { name, in: place, required: place === 'path' || required.includes(name) };
    if (description !== undefined) parameter.description = description;
    if (Array.isArray(examples) && examples[0] !== undefined) parameter.example = examples[0];
    return { ...parameter, schema: rest };
  });
}

function headersOf(route: Route): JsonObject[] {
  const named: Record<string, string> = { ...route.requestHeaders };
  if (route.idempotent === true) {
    named['Idempotency-Key'] =
      'Makes the request safe to repeat: the same key and body within 24 hours return the first response again.';
  }
  return Object.entries(named).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string', maxLength: 255 },
  }));
}

function responseOf(response: RouteResponse): JsonObject {
  const names = [...COMMON_HEADERS, ...(response.headers ?? [])];
  const codes = response.codes ?? [];
  const answer: JsonObject = {
    description:
      codes.length === 0
        ? response.description
        : `${response.description} Codes: ${codes.map((code) => `\`${code}\``).join(', ')}.`,
    headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
  };
  if (response.schema !== undefined) {
    answer.content = { [response.contentType ?? 'application/json']: { schema: schemaOf(response.schema) } };
  } else if (response.contentType !== undefined) {
    const schema = response.contentType === 'application/json' ? { type: 'object' } : { type: 'string' };
    answer.content = { [response.contentType]: { schema } };
  }
  return answer;
}

/** A reference when the schema is a named component, else the schema itself. */
function schemaOf(schema: z.ZodType): JsonObject {
  const id = z.globalRegistry.get(schema)?.id;
  if (id !== undefined) return { $ref: componentUri(id) };
  const { $schema, ...rest } = jsonSchemaOf(schema);
  return rest;
}

function jsonSchemaOf(schema: z.ZodType): JsonObject {
  return z.toJSONSchema(schema, JSON_SCHEMA) as JsonObject;
}

const JSON_SCHEMA = {
  io: 'input',
  target: 'draft-2020-12',
  override({ jsonSchema }) {
    // Only engines with the flag `u` know property escapes.
    const { pattern } = jsonSchema;
    if (pattern !== undefined) jsonSchema.pattern = pattern.replaceAll('\\p{Cc}', '\\x00-\\x1f\\x7f-\\x9f');
  },
} satisfies z.core.ToJSONSchemaParams;

/** The named schemas that the paths refer to, directly or through one another, by name. */
function componentsOf(paths: Record<string, JsonObject>): JsonObject {
  const { schemas } = z.toJSONSchema(z.globalRegistry, {
    ...JSON_SCHEMA,
    uri: componentUri,
  }) as unknown as { schemas: Record<string, JsonObject> };
  const wanted = new Set<string>();
  const visit = (value: Json): void => {
    const start = componentUri('');
    for (const [, id] of JSON.stringify(value).matchAll(new RegExp(`"\\$ref":"${start}([^"]+)"`, 'g'))) {
      if (id === undefined || wanted.has(id)) continue;
      wanted.add(id);
      visit(schemas[id] ?? null);
    }
  };
  visit(paths);
  return Object.fromEntries(
    [...wanted].sort().map((id) => {
      const { $schema, $id, id: _name, ...rest } = schemas[id]!;
      return [id, rest];
    }),
  );
}
