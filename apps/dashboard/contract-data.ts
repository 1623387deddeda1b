import * as contract from '@offprint/contract';
import type { Plugin } from 'vite';

const NAME = '@offprint/contract';
const VIRTUAL = '\0offprint-contract';

/** Functions of the contract that the browser needs; each stands alone or on the values below. */
const FUNCTIONS = [
  'fillPath',
  'includesPlan',
  'includesRole',
  'isWellFormedId',
  'normalizeDomain',
  'normalizePagePath',
] as const;

/** Schemas that the client reads messages with; the server has checked what it sends. */
const TRUSTED = ['agentJob', 'agentJobEvent', 'exportEvent', 'exportJob'] as const;

/**
 * The contract as the browser needs it: the operations and the values, without the schemas, which are more than half of
 * what the first page would load. Responses come from the server that served the page, and it checks each against the
 * contract before sending it. Importing anything else of the contract fails the build.
 */
export function contractData(): Plugin {
  return {
    name: 'offprint-contract-data',
    enforce: 'pre',
    resolveId: (id) => (id === NAME ? VIRTUAL : null),
    load: (id) => (id === VIRTUAL ? moduleText() : null),
  };
}

/** Everything that the contract exports, by name. */
const values: Readonly<Record<string, unknown>> = contract;

function moduleText(): string {
  const lines = [
    'const any = { parse: (data) => data, safeParse: (data) => ({ success: true, data }) };',
    // A response that is not an error of the API comes from a proxy in between: the client distinguishes the two.
    "export const errorBody = { safeParse: (data) => ({ success: typeof data?.error === 'string', data }) };",
    `export const routes = ${routesText()};`,
    ...TRUSTED.map((name) => `export const ${name} = any;`),
    ...FUNCTIONS.map((name) => `export const ${name} = ${String(values[name])};`),
  ];
  for (const [name, value] of Object.entries(values)) {
    if (name !== 'routes' && isPlain(value)) lines.push(`export const ${name} = ${literal(value)};`);
  }
  return lines.join('\n');
}

/** The operations with what a client needs to send them and to know whether a response has a body. */
function routesText(): string {
  const entries = Object.entries(contract.routes as Record<string, contract.Route>).map(([id, route]) => {
    const { method, path, scope, idempotent, bytes } = route;
    const responses = Object.entries(route.responses)
      .filter(([status, { schema }]) => Number(status) < 400 && schema !== undefined)
      .map(([status]) => `${status}: { schema: any }`);
    const fields = JSON.stringify({ method, path, scope, idempotent, bytes }).slice(0, -1);
    return `${id}: ${fields}, responses: { ${responses.join(', ')} } }`;
  });
  return `{ ${entries.join(',\n')} }`;
}

/** Whether a value is data through and through. */
function isPlain(value: unknown): boolean {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return true;
  if (value instanceof RegExp) return true;
  if (Array.isArray(value)) return value.every(isPlain);
  if (typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.values(value).every(isPlain);
}

function literal(value: unknown): string {
  return value instanceof RegExp ? String(value) : JSON.stringify(value);
}
