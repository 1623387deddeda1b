import type { SourceTree } from '../../source.ts';
import type { WarningCode } from '../../warning-codes.ts';
import { isObject } from '../json.ts';
import { objectSchema } from '../json-schema.ts';
import { checkUnknown, defineKey, type JsonSchema, type Keys, type Type } from '../key.ts';
import { resolvePath } from '../reference.ts';
import { memberName, memberOf, type Section, warnAt } from '../section.ts';
import { any, flag, object, oneOf, text, texts } from '../types.ts';

/** Description files in the source, and what is set up for each of them. */
interface Descriptions {
  files: string[];
  /** Overlay files by the description file that they change. */
  overlays: ReadonlyMap<string, readonly string[]>;
  /** Folders of generated pages by description file, where docs.json names one. */
  directories: ReadonlyMap<string, string>;
}

const sourceKeys = {
  source: defineKey('Path of the description, or of a folder of descriptions', text),
  directory: defineKey('Folder of the generated pages', text, { otherwise: '`api-reference`' }),
  overlays: defineKey('OpenAPI overlays that change the description', texts),
};

const asyncSourceKeys = { source: sourceKeys.source, directory: sourceKeys.directory };

/** Local files: a path, `{source, directory, overlays}`, or a list of them; a folder is its files. */
const descriptions = (
  members: typeof asyncSourceKeys & Partial<typeof sourceKeys>,
  schema: JsonSchema,
): Type<Descriptions> => ({
  values: 'path, object, or a list of them',
  members,
  schema: () => schema,
  read(section, key) {
    const files = new Set<string>();
    const overlays = new Map<string, readonly string[]>();
    const directories = new Map<string, string>();
    for (const item of itemsOf(memberOf(section, key))) {
      const own = { ...section, name: memberName(section, key), value: isObject(item) ? item : {} };
      checkUnknown(own, members);
      const path: unknown = isObject(item) ? item.source : item;
      const written = members.overlays?.read(own, 'overlays') ?? [];
      const changes = written.flatMap((change) => findFiles(section, key, change));
      for (const file of findFiles(section, key, path)) {
        files.add(file);
        if (changes.length > 0) overlays.set(file, changes);
        if (typeof own.value.directory === 'string') directories.set(file, own.value.directory);
      }
    }
    return { files: [...files], overlays, directories };
  },
});

const itemsOf = (written: unknown): unknown[] =>
  Array.isArray(written) ? written : written === undefined ? [] : [written];

const schemaOf = (members: Keys) => {
  const one = [{ type: 'string' }, objectSchema(members)];
  return { anyOf: [...one, { type: 'array', items: { anyOf: one } }] };
};

/** API descriptions of a key, for editors. */
export const descriptionSchema = schemaOf(sourceKeys);
export const asyncDescriptionSchema = schemaOf(asyncSourceKeys);

function findFiles(section: Section, key: string, path: unknown): string[] {
  const fail = (code: WarningCode, message: string): string[] => {
    warnAt(section, key, code, message);
    return [];
  };
  const name = memberName(section, key);
  if (typeof path !== 'string')
    return fail('config-type', `"${name}" must be a path, a list of paths or {"source": path}.`);
  const shown = JSON.stringify(path.slice(0, 200));
  if (/^https?:/i.test(path)) {
    const message = `${shown} was not downloaded. Add the file to the docs folder and use its path.`;
    return fail('remote-description', message);
  }
  const found = section.source === undefined ? [] : filesAt(section.source, path.trim());
  if (found !== null) return found;
  const message = `The API description ${shown} does not exist. Correct the path in "${name}".`;
  return fail('description-missing', message);
}

/** The file of a path or the descriptions in the folder of a path; null where neither exists. */
function filesAt(source: SourceTree, path: string): string[] | null {
  const file = resolvePath('', path);
  if (file === null) return null;
  if (source.has(file)) return [file];
  const inside = source.paths.filter((name) => name.startsWith(`${file}/`));
  return inside.length === 0 ? null : inside.filter((name) => /\.(json|ya?ml)$/i.test(name));
}

const playground = object({
  display: defineKey('Form to send requests', oneOf('interactive', 'simple', 'none', 'auth'), {
    default: 'interactive',
  }),
  proxy: defineKey('URL of a proxy for requests; default: requests go to the API', any('URL'), {
    note: 'a URL; `true` and `false` have no effect, because an export has no proxy',
  }),
  credentials: defineKey('Requests send cookies', flag, { default: false }),
});

const examples = object({
  languages: defineKey('Languages of code samples', texts, { otherwise: 'cURL, Python, JavaScript' }),
  defaults: defineKey('Parameters in code samples', oneOf('required', 'all'), { default: 'all' }),
  prefill: defineKey('Forms contain example values', flag, { default: false }),
  autogenerate: defineKey('Code samples are generated', flag, { default: true }),
});

const auth = object(
  {
    method: defineKey('Authentication of requests', oneOf('bearer', 'basic', 'key', 'cobo', 'none')),
    name: defineKey('Name of the header with the key', text),
    inputPrefix: defineKey('Text before the key', text, { isOlder: true }),
  },
  ({ method, name }) => (method === null ? null : { method, name }),
);

/** Key for the API reference. */
export const apiKeys = {
  api: defineKey(
    'API reference',
    object(
      {
        openapi: defineKey(
          'OpenAPI descriptions for navigation entries without their own',
          descriptions(sourceKeys, descriptionSchema),
          { example: 'openapi.json' },
        ),
        asyncapi: defineKey(
          'AsyncAPI 3 descriptions for pages of channels that name none',
          descriptions(asyncSourceKeys, asyncDescriptionSchema),
          { example: 'asyncapi.yaml' },
        ),
        playground: defineKey('Forms to send requests', playground),
        params: defineKey(
          'Parameters of operations',
          object({
            expanded: defineKey('Whether nested fields are open initially', oneOf('all', 'closed')),
            post: defineKey('Extension keys that are shown beside a parameter', texts),
          }),
        ),
        url: defineKey('`full` shows the URL of an operation with its host', oneOf('full')),
        examples: defineKey('Code samples', examples),
        mdx: defineKey(
          'Operations that pages describe with `api`',
          object({
            server: defineKey('Base URLs of the API', texts),
            auth: defineKey('Authentication', auth),
          }),
        ),
        auth: defineKey('Older place of `api.mdx.auth`', any('object'), { isOlder: true }),
        baseUrl: defineKey('Older place of `api.mdx.server`', any('URL'), { isOlder: true }),
      },
      ({ openapi: { files, overlays, directories }, asyncapi, ...values }) => ({
        ...values,
        openapi: files,
        asyncapi: asyncapi.files,
        channelDirectories: asyncapi.directories,
        overlays,
        directories,
      }),
    ),
  ),
};
