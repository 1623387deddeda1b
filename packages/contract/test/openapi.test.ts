import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  errorCodes,
  includesScope,
  limitedKeysOf,
  openApiDocument,
  type Route,
  roleScopes,
  routes,
} from '../src/index.ts';
import { ajvFor, type Json, type JsonObject, pointersOf, resolvePointer } from './schema.ts';

const document = openApiDocument() as JsonObject;
const list: Route[] = Object.values(routes);
const methods = ['get', 'put', 'post', 'delete', 'patch'];

function operations(): { name: string; operation: JsonObject }[] {
  return Object.entries(document.paths as JsonObject).flatMap(([path, item]) =>
    Object.entries(item as JsonObject).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation: operation as JsonObject,
    })),
  );
}

describe('the OpenAPI document', () => {
  it('is version 3.1.0 of the API version 2.0.0', () => {
    expect(document.openapi).toBe('3.1.0');
    expect((document.info as JsonObject).version).toBe('2.0.0');
  });

  it('is the same every time', () => {
    expect(JSON.stringify(openApiDocument())).toBe(JSON.stringify(document));
  });

  it('describes every route of the table once, under its method and path', () => {
    expect(operations().map(({ name }) => name)).toEqual(
      expect.arrayContaining(list.map((route) => `${route.method} ${route.path}`)),
    );
    expect(operations()).toHaveLength(list.length);
    for (const item of Object.values(document.paths as JsonObject)) {
      for (const method of Object.keys(item as JsonObject)) expect(methods).toContain(method);
    }
  });

  it('gives each operation a unique id equal to its key in the table', () => {
    expect(list.map((route) => route.operationId)).toEqual(Object.keys(routes));
  });

  it('states in each description who can use the operation', () => {
    for (const route of list) {
      const operation = operations().find(({ name }) => name === `${route.method} ${route.path}`)?.operation;
      const { scope, role, plan, access } = route;
      for (const name of [scope, role, plan].filter((one) => one !== undefined && one !== null))
        expect(operation?.description, route.operationId).toContain(`\`${name}\``);
      if (scope === null && access === undefined)
        expect(operation?.description, route.operationId).toContain('No authentication is required.');
      if (scope === null && access !== undefined)
        expect(operation?.description, route.operationId).toContain(`signed-in ${access}`);
    }
  });

  it('resolves every reference in it', () => {
    for (const { key, value } of pointersOf(document)) {
      if (key !== '$ref') continue;
      expect(resolvePointer(document, String(value)), String(value)).toBeDefined();
    }
  });

  it('publishes patterns that mean the same without the flag u, and defaults that match them', () => {
    let defaults = 0;
    for (const { key, value, parent } of pointersOf(document)) {
      if (key !== 'pattern' || typeof value !== 'string') continue;
      expect(value, value).not.toMatch(/\\p\{/i);
      const pattern = new RegExp(value);
      if (typeof parent.default !== 'string') continue;
      defaults += 1;
      expect(pattern.test(parent.default), value).toBe(true);
    }
    expect(defaults).toBeGreaterThan(0);
  });

  it('declares every parameter of a path template, and no other path parameter', () => {
    for (const [path, item] of Object.entries(document.paths as JsonObject)) {
      const wanted = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      for (const operation of Object.values(item as JsonObject)) {
        const parameters = ((operation as JsonObject).parameters ?? []) as JsonObject[];
        const found = parameters.filter((parameter) => parameter.in === 'path');
        expect(found.map((parameter) => parameter.name)).toEqual(wanted);
        for (const parameter of found) expect(parameter.required).toBe(true);
      }
    }
  });

  it('names only schemas that compile as JSON Schema 2020-12', () => {
    const ajv = ajvFor(document);
    for (const name of Object.keys((document.components as JsonObject).schemas as JsonObject)) {
      expect(() => ajv.compile({ $ref: `document#/components/schemas/${name}` }), name).not.toThrow();
    }
  });

  it('holds examples that are valid under their own schemas', () => {
    const ajv = ajvFor(document);
    let checked = 0;
    for (const [name, schema] of Object.entries((document.components as JsonObject).schemas as JsonObject)) {
      const validate = ajv.compile({ $ref: `document#/components/schemas/${name}` });
      for (const example of ((schema as JsonObject).examples ?? []) as Json[]) {
        expect(validate(example), `${name}: ${JSON.stringify(validate.errors)}`).toBe(true);
        checked++;
      }
    }
    for (const { key, value, parent } of pointersOf(document)) {
      if (key !== 'examples' || !Array.isArray(value) || parent.type === undefined) continue;
      const { examples, ...schema } = parent;
      for (const example of value) {
        if (JSON.stringify(schema).includes('"$ref"')) continue;
        expect(ajv.validate(schema, example), JSON.stringify(parent)).toBe(true);
        checked++;
      }
    }
    expect(checked).toBeGreaterThan(30);
  });

  it('shows a valid example of every JSON body of a request and of a successful response', () => {
    const ajv = ajvFor(document);
    const faults: string[] = [];
    let count = 0;
    for (const { name, operation } of operations()) {
      const responses = Object.entries(operation.responses as JsonObject).filter(([status]) =>
        /^2/.test(status),
      );
      for (const [place, body] of [['request', operation.requestBody], ...responses] as [
        string,
        JsonObject?,
      ][]) {
        const media = (body?.content as JsonObject | undefined)?.['application/json'] as
          | JsonObject
          | undefined;
        if (media?.schema === undefined) continue;
        count += 1;
        const pointer = `document#/paths/${encodeURIComponent(name.split(' ')[1]!.replaceAll('~', '~0').replaceAll('/', '~1'))}`;
        const at = `${pointer}/${name.split(' ')[0]!.toLowerCase()}/${place === 'request' ? 'requestBody' : `responses/${place}`}/content/application~1json/schema`;
        if (media.example === undefined) faults.push(`${name} ${place}: no example`);
        else if (!ajv.compile({ $ref: at })(media.example))
          faults.push(`${name} ${place}: ${JSON.stringify(media.example)}`);
      }
    }
    expect(faults).toEqual([]);
    expect(count).toBeGreaterThan(80);
  });

  it('holds examples that are valid under the zod schemas they are attached to', () => {
    for (const route of list) {
      const schemas = [route.body, ...Object.values(route.responses).map((response) => response.schema)];
      for (const schema of schemas) {
        for (const example of (schema?.meta()?.examples as unknown[] | undefined) ?? []) {
          expect(z.safeParse(schema!, example).error?.issues ?? []).toEqual([]);
        }
      }
    }
  });
});

describe('the route table', () => {
  it('lists the statuses that every operation with a key can return', () => {
    for (const route of list.filter((one) => one.scope !== null)) {
      const statuses = Object.keys(route.responses).map(Number);
      expect(statuses, route.operationId).toEqual(expect.arrayContaining([400, 401, 403, 429, 500, 503]));
      if (route.params !== undefined) expect(statuses, route.operationId).toContain(404);
      if (route.body !== undefined)
        expect(statuses, route.operationId).toEqual(expect.arrayContaining([413, 415]));
      if (route.idempotent) expect(statuses, route.operationId).toEqual(expect.arrayContaining([409, 422]));
      expect(
        statuses.some((status) => status < 300),
        route.operationId,
      ).toBe(true);
    }
  });

  it('asks for a read scope on GET, and for a write scope on what changes something', () => {
    // They return links to what a GET returns too, or have a query in their body.
    const reads = new Set(['createBundle', 'createPreview', 'searchSite', 'getSitePage']);
    for (const route of list) {
      // Asking has a scope of its own: it changes nothing and costs tokens of a model.
      if (route.scope === null || route.scope === 'assistant:use') continue;
      const isRead = route.method === 'GET' || reads.has(route.operationId);
      expect(route.scope.split(':')[1], route.operationId).toBe(isRead ? 'read' : 'write');
    }
  });

  it('asks for no scope that the lowest role of the operation lacks', () => {
    for (const { operationId, role, scope } of list) {
      if (scope === null) continue;
      expect(role, operationId).toBeDefined();
      expect(includesScope(roleScopes[role!], scope), operationId).toBe(true);
    }
  });

  it('says of each operation how it treats keys that are limited to projects', () => {
    for (const route of list.filter((one) => one.scope !== null)) {
      const kind = limitedKeysOf(route);
      if (kind === 'path') expect(route.limitedKeys, route.operationId).toBeUndefined();
      const isListed = route.responses[403]?.codes?.includes('project_limited') === true;
      expect(isListed, route.operationId).toBe(kind === 'refused');
    }
  });

  it('gives each documented error code the status of the code table', () => {
    for (const route of list) {
      for (const [status, response] of Object.entries(route.responses)) {
        for (const code of response.codes ?? []) expect(errorCodes[code]).toBe(Number(status));
      }
    }
  });

  it('sends WWW-Authenticate with 401 and Retry-After with 429 and 503', () => {
    for (const route of list) {
      expect(route.responses[401]?.headers ?? ['WWW-Authenticate']).toContain('WWW-Authenticate');
      for (const status of [429, 503]) {
        expect(route.responses[status]?.headers ?? ['Retry-After']).toContain('Retry-After');
      }
    }
  });

  it('refuses unknown fields in every body and query', () => {
    for (const route of list) {
      for (const schema of [route.body, route.query]) {
        // Providers of single sign-on add parameters of their own, such as session_state.
        // Clients of the reference product send fields that this version does not know to the assistant.
        const isOpen = ['finishSingleSignOn', 'createAssistantMessage'].includes(route.operationId);
        if (schema === undefined || isOpen) continue;
        const issues = z.safeParse(schema, { surprise: 1 }).error?.issues ?? [];
        expect(
          issues.some((issue) => issue.code === 'unrecognized_keys'),
          route.operationId,
        ).toBe(true);
      }
    }
  });
});
