import { parseSync } from 'oxc-parser';
import type { Json } from './cut.ts';

export interface TypedOperation {
  /** Of the method in the types. */
  name: string;
  /** Method and path. */
  operation: string;
  success: number;
  errors: number[];
}

interface Node {
  type: string;
  start: number;
  [key: string]: unknown;
}

/**
 * An OpenAPI 3 document of operations out of the type declarations of a generated client: where a forge's description
 * is not to be had as such, its types are, with every name and type that it has.
 */
export function describeTypes(
  text: string,
  options: { title: string; operations: readonly TypedOperation[]; error: string },
): Json {
  const { program } = parseSync('types.d.ts', text);
  const declared = new Map<string, Node>();
  const methods = new Map<string, Node>();
  walk(program as unknown as Node, (node) => {
    const name = (node.id as { name?: string } | undefined)?.name;
    if (/^TS(?:Interface|TypeAlias|Enum)Declaration$/.test(node.type) && name !== undefined)
      declared.set(name, node);
    if (node.type === 'TSPropertySignature') {
      const type = (node.typeAnnotation as Node | null)?.typeAnnotation as Node | undefined;
      if (type?.type === 'TSFunctionType') methods.set(nameOf(node), type);
    }
  });
  const schemas: Json = {};
  const read = createReader(text, declared, schemas);
  const paths: Record<string, Json> = {};
  for (const { name, operation, success, errors } of options.operations) {
    const method = methods.get(name);
    if (method === undefined) throw new Error(`The types have no method ${name}.`);
    const [verb = '', path = ''] = operation.split(' ');
    const error = read.readName(options.error);
    const content = (schema: Json): Json => ({ content: { 'application/json': { schema } } });
    const parameters: Json[] = [...path.matchAll(/\{(\w+)\}/g)].map(([, part]) => ({
      name: part,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    }));
    const definition: Json = { parameters };
    for (const parameter of method.params as Node[]) {
      const type = (parameter.typeAnnotation as Node).typeAnnotation as Node;
      if (parameter.name === 'body')
        definition.requestBody = { required: true, ...content(read.readType(type)) };
      if (parameter.name !== 'query') continue;
      for (const member of type.members as Node[]) {
        const schema = read.readMember(member);
        parameters.push({ name: nameOf(member), in: 'query', schema });
      }
    }
    definition.responses = {
      [success]: content(read.readType(answerOf(method))),
      ...Object.fromEntries(errors.map((status) => [status, content(error)])),
    };
    paths[path] = { ...paths[path], [verb.toLowerCase()]: definition };
  }
  return { openapi: '3.0.3', info: { title: options.title, version: '1' }, paths, components: { schemas } };
}

/** The response type of `Promise<HttpResponse<T, E>>` is T. */
function answerOf(method: Node): Node {
  let type = (method.returnType as Node).typeAnnotation as Node;
  for (let depth = 0; depth < 2; depth += 1) {
    const args = (type.typeArguments ?? type.typeParameters) as { params: Node[] };
    type = args.params[0] as Node;
  }
  return type;
}

/** Reads types as schemas; those with a name go into `schemas`. */
function createReader(text: string, declared: ReadonlyMap<string, Node>, schemas: Json) {
  function readName(name: string): Json {
    const reference = { $ref: `#/components/schemas/${name}` };
    if (schemas[name] !== undefined) return reference;
    const node = declared.get(name);
    if (node === undefined) throw new Error(`The types do not declare ${name}.`);
    schemas[name] = {};
    schemas[name] =
      node.type === 'TSInterfaceDeclaration'
        ? readObject((node.body as { body: Node[] }).body)
        : node.type === 'TSTypeAliasDeclaration'
          ? readType(node.typeAnnotation as Node)
          : { type: 'string' };
    return reference;
  }

  function readType(node: Node): Json {
    switch (node.type) {
      case 'TSStringKeyword':
        return { type: 'string' };
      case 'TSNumberKeyword':
        return { type: 'number' };
      case 'TSBooleanKeyword':
        return { type: 'boolean' };
      case 'TSArrayType':
        return { type: 'array', items: readType(node.elementType as Node) };
      case 'TSTypeLiteral':
        return readObject(node.members as Node[]);
      case 'TSUnionType':
        return {
          type: 'string',
          enum: (node.types as Node[]).map((one) => (one.literal as { value: string }).value),
        };
      case 'TSTypeReference': {
        const { name } = node.typeName as { name: string };
        return name === 'Record' ? { type: 'object' } : readName(name);
      }
      default:
        return {};
    }
  }

  /** A property with what its comment says of numbers and dates. */
  function readMember(node: Node): Json {
    const schema = readType((node.typeAnnotation as Node).typeAnnotation as Node);
    const comment = /\/\*\*((?:(?!\*\/).)*)\*\/\s*$/s.exec(text.slice(0, node.start).slice(-600))?.[1] ?? '';
    if (schema.type === 'number' && /@format int/.test(comment)) return { type: 'integer' };
    if (schema.type === 'string' && /@format date-time/.test(comment))
      return { ...schema, format: 'date-time' };
    return schema;
  }

  function readObject(members: readonly Node[]): Json {
    const properties = members.filter(({ type }) => type === 'TSPropertySignature');
    const required = properties.filter(({ optional }) => optional !== true).map(nameOf);
    return {
      type: 'object',
      properties: Object.fromEntries(properties.map((member) => [nameOf(member), readMember(member)])),
      ...(required.length === 0 ? {} : { required }),
    };
  }

  return { readName, readType, readMember };
}

function nameOf(node: Node): string {
  const key = node.key as { name?: string; value?: string };
  return key.name ?? key.value ?? '';
}

function walk(node: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(node)) for (const one of node) walk(one, visit);
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return;
  if (typeof (node as Node).type === 'string') visit(node as Node);
  for (const value of Object.values(node)) if (typeof value === 'object') walk(value, visit);
}
