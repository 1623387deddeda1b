/**
 * Writes deploy/github-action/dist/index.mjs, the one file that a runner runs. `npm run docs` runs this script; with
 * --check it writes nothing and exits with 1 when the file is stale.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorBody, exportJob, fillPath, type Route, routes } from '@offprint/contract';
import { type Plugin, rolldown } from 'rolldown';
import { z } from 'zod';
import type { JsonSchema } from '../deploy/github-action/src/shape.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const action = join(root, 'deploy/github-action');

export const actionScript = join(action, 'dist/index.mjs');

/** The calls that publishing makes. */
export const CALLS = ['startExport', 'getExport', 'createBundle', 'listExportWarnings'] as const;

/** The script, the same on every machine. */
export async function buildAction(): Promise<string> {
  const bundle = await rolldown({
    input: join(action, 'src/main.ts'),
    cwd: root,
    platform: 'node',
    // The build of yaml for browsers is made of modules, of which only what is used comes along.
    resolve: { alias: { yaml: join(root, 'node_modules/yaml/browser/index.js') } },
    plugins: [contractPlugin()],
    logLevel: 'silent',
  });
  const { output } = await bundle.generate({
    format: 'esm',
    minify: true,
    codeSplitting: false,
    comments: false,
  });
  await bundle.close();
  if (output.length !== 1) throw new Error(`the action became ${output.length} files`);
  return `${banner()}\n${output[0].code.trimEnd()}\n`;
}

function banner(): string {
  const license = readFileSync(join(root, 'node_modules/yaml/LICENSE'), 'utf8').trim();
  const text = [
    'Generated from deploy/github-action/src by `npm run docs`. Apache-2.0.',
    '',
    'Contains yaml:',
    license,
  ].join('\n');
  return text
    .split('\n')
    .map((line) => `// ${line}`.trimEnd())
    .join('\n');
}

/** Replaces the contract: its operations for publishing, with their responses as JSON Schema. */
function contractPlugin(): Plugin {
  const id = '\0contract';
  return {
    name: 'contract',
    resolveId: (source) => (source === '@offprint/contract' ? id : null),
    load(asked) {
      if (asked === id) return contractModule();
      return null;
    },
  };
}

function contractModule(): string {
  const shape = JSON.stringify(join(action, 'src/shape.ts'));
  const calls = CALLS.map((name) => `${name}: ${routeCode(routes[name])}`);
  return [
    `import { shape } from ${shape};`,
    `export const fillPath = ${String(fillPath)};`,
    `export const errorBody = ${shapeCode(errorBody)};`,
    `export const exportJob = ${shapeCode(exportJob)};`,
    // What the client has for calls that the action does not make.
    'export const agentJob = undefined, agentJobEvent = undefined, exportEvent = undefined;',
    `export const routes = {${calls.join(',\n')}};`,
  ].join('\n');
}

function routeCode(route: Route): string {
  const { operationId, method, path, scope, idempotent } = route;
  const responses = Object.entries(route.responses)
    .filter(([status, { schema }]) => Number(status) < 300 && schema !== undefined)
    .map(([status, { schema }]) => `${status}: { schema: ${shapeCode(schema!)} }`);
  const fixed = JSON.stringify({ operationId, method, path, scope, idempotent }).slice(1, -1);
  return `{${fixed}, responses: {${responses.join(',')}}}`;
}

function shapeCode(schema: z.ZodType): string {
  return `shape(${JSON.stringify(responseSchema(schema))})`;
}

/** The schema of a response in the action. */
export function responseSchema(schema: z.ZodType): JsonSchema {
  // Without the names of schemas, so that each response schema is self-contained.
  const metadata = z.registry<Record<string, unknown>>();
  return validationOnly(z.toJSONSchema(schema, { io: 'output', reused: 'inline', metadata })) as JsonSchema;
}

const ANNOTATIONS = new Set(['$schema', 'id', 'description', 'examples', 'additionalProperties']);

/** Only the keywords that validate a response. */
function validationOnly(value: unknown, isSchema = true): unknown {
  if (Array.isArray(value)) return value.map((item) => validationOnly(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !isSchema || !ANNOTATIONS.has(name))
      .map(([name, inner]) => [name, validationOnly(inner, name !== 'properties')]),
  );
}

if (import.meta.main) {
  const script = await buildAction();
  let before = '';
  try {
    before = readFileSync(actionScript, 'utf8');
  } catch {
    // It is made the first time.
  }
  if (before !== script && process.argv.includes('--check')) {
    process.stderr.write('deploy/github-action/dist/index.mjs is stale: run npm run docs\n');
    process.exitCode = 1;
  } else if (before !== script) {
    writeFileSync(actionScript, script);
  }
}
