type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What fields of these names hold, where their schema has no example of its own. */
const NAMES: Readonly<Record<string, string>> = {
  action: 'export.start',
  added: 'guides/start',
  address: '198.51.100.7',
  allowedCidrs: '198.51.100.0/24',
  author: 'Ada Lovelace',
  basePath: '/docs',
  branch: 'main',
  baseBranch: 'main',
  branches: 'main',
  branchPrefix: 'offprint/',
  changed: 'guides/deploy',
  createdBy: 'Ada Lovelace',
  cron: '0 3 * * *',
  currentPassword: 'correct horse battery staple',
  diff: '@@ -1 +1 @@\n-Old text\n+New text\n',
  domain: 'docs.example.com',
  domains: 'docs.example.com',
  redirectTo: 'docs.example.com',
  edited: 'guides/deploy',
  email: 'ada@example.com',
  file: 'guides/start.mdx',
  folder: 'docs',
  from: 'guides/old-name',
  groups: 'docs-team',
  invitation: 'offprint-invitation-4f6c9d3b0a8f',
  invitedBy: 'Ada Lovelace',
  key: `offprint_${'0123456789'.repeat(4).slice(0, 38)}`,
  last4: 'x7Kp',
  layout: 'index',
  message: 'The page has a link to a page that does not exist.',
  model: 'claude-sonnet-4-5',
  month: '2026-11',
  name: 'Acme docs',
  newPassword: 'a new and longer password',
  organizationName: 'Acme',
  password: 'correct horse battery staple',
  path: 'guides/start',
  paths: 'guides/start',
  prompt: 'Describe the new rate limits.',
  reason: 'The check needed more than 60 s of CPU time.',
  ref: 'main',
  removed: 'guides/old-page',
  repository: 'https://github.com/acme/docs.git',
  requestId: 'req-7f2c1a52',
  subject: 'Describe the rate limits',
  timeZone: 'Europe/Berlin',
  title: 'Describe the rate limits',
  to: 'guides/new-name',
  undetermined: 'guides/limits',
  version: '0.1.0',
};

/** The rest of ids and digests. */
const HEX = '0011223344556677'.repeat(4);

function textOf(schema: JsonObject, name: string): string {
  const pattern = String(schema.pattern ?? '');
  const id = /^\^([a-z]+_)?\[0-9a-f\]\{(\d+)\}\$$/.exec(pattern);
  if (id !== null) return `${id[1] ?? ''}${HEX.slice(0, Number(id[2]))}`;
  return FORMATS[String(schema.format)] ?? NAMES[name] ?? name;
}

const FORMATS: Readonly<Record<string, string>> = {
  cidrv4: '198.51.100.0/24',
  'date-time': '2026-11-22T09:30:00.000Z',
  date: '2026-11-22',
  email: 'ada@example.com',
  uri: 'https://docs.example.com/guides/start',
  uuid: '7f2c1a52-6f0e-4f6c-9d3b-0a8f6f4f1d11',
};

/**
 * A value that a schema allows, put together from the examples, defaults and choices of its parts: required and optional
 * properties, one item of each array. `name` stands for a text of which nothing else is known. `resolve` returns the schema
 * of a `$ref`.
 */
export function exampleOf(
  schema: Json | undefined,
  resolve: (reference: string) => Json | undefined,
  name = 'text',
): Json {
  if (!isObject(schema)) return {};
  if (typeof schema.$ref === 'string') return exampleOf(resolve(schema.$ref), resolve, name);
  const given = Array.isArray(schema.examples) ? schema.examples[0] : undefined;
  if (given !== undefined) return given;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null;
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) {
    const choice = choices.find((one) => !isObject(one) || one.type !== 'null');
    return exampleOf(choice, resolve, name);
  }
  if (schema.default !== undefined && schema.type !== 'array') return schema.default;
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(isObject(schema.properties) ? schema.properties : {}).map(([key, property]) => [
          key,
          exampleOf(property, resolve, key),
        ]),
      );
    case 'array':
      return schema.maxItems === 0 ? [] : [exampleOf(schema.items, resolve, name)];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1;
    case 'string':
      return textOf(schema, name);
    default:
      return null;
  }
}
