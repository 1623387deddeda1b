/** What is wrong with an object by the schemas of Kubernetes: types, missing fields, and fields that there are not. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { extensions } from './extension-schemas.ts';

export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the schemas check
  [field: string]: any;
}

const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url));
const ajv = new Ajv({ allErrors: true, strictTypes: false });
const validators = new Map(
  Object.entries(extensions).map(([type, schema]) => [type, ajv.compile(schema)] as const),
);

/** One line for each error: the path of the field and the reason. */
export async function objectFaults(object: KubernetesObject): Promise<string[]> {
  const type = `${object.apiVersion}/${object.kind}`;
  const extension = validators.get(type);
  if (extension !== undefined) {
    extension(object);
    return (extension.errors ?? []).map(
      (error) => `${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`,
    );
  }
  const model = await import(/* @vite-ignore */ `kubernetes-models/${type}`).catch(() => null);
  if (model === null) return [`${type} is not known to Kubernetes`];
  const faults = unknownFields(object, {
    kind: 'object',
    fields: () => fieldsOf(join(modules, 'kubernetes-models', `${type}.d.ts`)),
  });
  try {
    new model[object.kind](object).validate();
  } catch (error) {
    faults.push(...(error as Error).message.split(', '));
  }
  return faults;
}

type Fields = ReadonlyMap<string, FieldType>;

type FieldType =
  | { kind: 'leaf' }
  /** `fields` is null when they are not known. */
  | { kind: 'object'; fields: () => Fields | null }
  | { kind: 'list'; of: FieldType }
  | { kind: 'map'; of: FieldType };

/** The validators let unknown fields pass, and Kubernetes drops them: a wrong name would change nothing, silently. */
function unknownFields(value: unknown, type: FieldType, path = ''): string[] {
  if (typeof value !== 'object' || value === null || type.kind === 'leaf') return [];
  if (type.kind === 'list') {
    return Array.isArray(value)
      ? value.flatMap((item, index) => unknownFields(item, type.of, `${path}/${index}`))
      : [];
  }
  const entries = Object.entries(value);
  if (type.kind === 'map')
    return entries.flatMap(([key, item]) => unknownFields(item, type.of, `${path}/${key}`));
  const fields = type.fields();
  if (fields === null) return [];
  return entries.flatMap(([key, item]) => {
    const field = fields.get(key);
    return field === undefined
      ? [`${path}/${key} is no such field`]
      : unknownFields(item, field, `${path}/${key}`);
  });
}

const known = new Map<string, Fields | null>();

/** The fields of the interface that a declaration file is about; null when it declares another sort of type. */
function fieldsOf(file: string): Fields | null {
  const cached = known.get(file);
  if (cached !== undefined) return cached;
  const text = readFileSync(file, 'utf8');
  const imports = new Map(
    [...text.matchAll(/^import \{ (\w+) \} from "([^"]+)";$/gm)].map(([, name, from]) => [name!, from!]),
  );
  const typeOf = (name: string): FieldType => {
    const list = /^Array<(.+)>$/.exec(name);
    if (list !== null) return { kind: 'list', of: typeOf(list[1]!) };
    const from = imports.get(name);
    if (from === undefined) return { kind: 'leaf' };
    const path = from.startsWith('.') ? join(dirname(file), from) : join(modules, from);
    return { kind: 'object', fields: () => fieldsOf(`${path.replace(/\.js$/, '')}.d.ts`) };
  };
  const body = /^export interface I\w+ (?:extends \w+ )?\{\n([\s\S]*?)^\}$/m.exec(text)?.[1];
  const fields = body === undefined ? null : parseFields(body, typeOf);
  known.set(file, fields);
  return fields;
}

/** Fields of an interface: of a named type, a map, or a list of objects that are declared in place. */
function parseFields(body: string, typeOf: (name: string) => FieldType): Fields {
  const field =
    /^ {4}"([^"]+)"\??: (?:\{\n\s+\[key: string\]: ([^;]+);\n {4}\}|Array<\{\n([\s\S]*?)^ {4}\}>|([^;{\n]+));$/gm;
  const fields = new Map(
    [...body.matchAll(field)].map(([, name, ofMap, ofList, plain]): [string, FieldType] => {
      if (ofMap !== undefined) return [name!, { kind: 'map', of: typeOf(ofMap) }];
      if (ofList === undefined) return [name!, typeOf(plain!)];
      const inner = parseFields(ofList.replace(/^ {4}/gm, ''), typeOf);
      return [name!, { kind: 'list', of: { kind: 'object', fields: () => inner } }];
    }),
  );
  const declared = body.match(/^ {4}"/gm)?.length;
  if (fields.size !== declared)
    throw new Error(`${fields.size} of ${declared} fields are understood:\n${body}`);
  return fields;
}
