import { upgradeFromTwoToThree } from '@scalar/openapi-upgrader/2.0-to-3.0';
import { isObject, type JsonObject } from '../config/json.ts';
import type { SourceTree } from '../source.ts';
import { readTextFile } from '../text-file.ts';
import type { Warn } from '../warning.ts';
import type { DescriptionUse } from './description-use.ts';
import { noteFamilies } from './discriminator.ts';
import { resolveIdentifiers } from './identifiers.ts';
import { type Lines, openLines } from './lines.ts';
import { restoreIntegers } from './long-integers.ts';
import { applyOverlay } from './overlay.ts';
import { parseDescription } from './parse.ts';
import { createResolver, type Resolver } from './resolver.ts';
import { openSchemas, type Schemas } from './schema.ts';
import { addListStyles, asWritten, completeForms, inlineParts, prepareForms } from './swagger.ts';

/** Bytes of an API description that are read; the largest known one has 20 MB, 5,000 operations have about 48. */
export const MAX_BYTES = 64 * 1024 * 1024;
/** Bytes of all files that descriptions refer to; the largest known one has 2,907 files. */
export const MAX_TOTAL_BYTES = 256 * 1024 * 1024;

/** Bytes of a sample of code in a file of its own. */
const MAX_TEXT_BYTES = 100_000;

/** API descriptions of a source. Each file is parsed once. */
export interface ApiDocuments {
  /** The description in a file, as OpenAPI 3, or why it is none. */
  read(file: string): ApiDocument | Refusal;
  /** The AsyncAPI 3 description in a file, or why it is none. */
  readAsync(file: string): ApiDocument | Refusal;
  readonly resolver: Resolver;
  readonly schemas: Schemas;
  readonly lines: Lines;
}

export interface ApiDocument {
  readonly document: JsonObject;
}

export interface Refusal {
  readonly code: 'description-too-large' | 'description-invalid' | 'description-version';
  readonly message: string;
  readonly line: number | null;
}

/** `overlays` are files by the description that they change, in their order. */
export function openDocuments(
  source: SourceTree,
  overlays: ReadonlyMap<string, readonly string[]>,
  use: Pick<DescriptionUse, 'linked'>,
  warn: Warn,
): ApiDocuments {
  const documents = new Map<string, ApiDocument | Refusal>();
  const asyncDocuments = new Map<string, ApiDocument | Refusal>();
  const parts = new Map<string, JsonObject | unknown[] | null>();
  let bytesLeft = MAX_TOTAL_BYTES;
  const read = (file: string): ApiDocument | Refusal => {
    let known = documents.get(file);
    if (known === undefined) {
      const own = overlays.get(file) ?? [];
      for (const overlay of own) use.linked(file, overlay);
      const document = readDocument(source, file, own, warn);
      known = 'code' in document ? document : asOpenApi3(document.document, file, resolver);
      documents.set(file, known);
    }
    return known;
  };
  const readAsync = (file: string): ApiDocument | Refusal => {
    let known = asyncDocuments.get(file);
    if (known === undefined) {
      const document = readDocument(source, file, [], warn);
      known = 'code' in document ? document : asAsyncApi3(document.document);
      asyncDocuments.set(file, known);
    }
    return known;
  };
  /** A file that a reference names need not be a description. */
  const readPart = (file: string): JsonObject | unknown[] | null => {
    for (const known of [documents.get(file), asyncDocuments.get(file)])
      if (known !== undefined && 'document' in known) return known.document;
    let part = parts.get(file);
    if (part === undefined) {
      bytesLeft -= source.has(file) ? source.size(file) : 0;
      part = bytesLeft < 0 ? null : parsePart(source, file, warn);
      parts.set(file, part);
    }
    return part;
  };
  const lines = openLines(source);
  /** Line and text of a reference; the conversion of Swagger 2.0 writes references in another form. */
  const placeOf = (file: string, reference: string): [line: number | null, written: string] => {
    const line = lines.ofReference(file, reference);
    const written = asWritten(reference);
    if (line !== null || written === reference) return [line, reference];
    const own = lines.ofReference(file, written);
    return own === null ? [null, reference] : [own, written];
  };
  const resolver = createResolver({
    read: readPart,
    linked: use.linked,
    readText: (file) => {
      const isShort = source.has(file) && source.size(file) <= MAX_TEXT_BYTES;
      return isShort ? readTextFile(source, file, warn) : null;
    },
    missing: (file, reference, reason) => {
      const [line, written] = placeOf(file, reference);
      warn({
        file,
        line,
        code: 'description-reference',
        message: `The reference ${JSON.stringify(written.slice(0, 200))} ${reason}, so what it describes is not shown. Correct it or add the file.`,
      });
    },
    undefinedScheme: (file, name) =>
      warn({
        file,
        line: lines.ofRequirement(file, name),
        code: 'description-reference',
        message: `The security scheme ${JSON.stringify(name.slice(0, 200))} is not defined, so the page shows only its name. Correct the name, or define it in "components.securitySchemes" (Swagger 2.0: "securityDefinitions").`,
      }),
    exceeded: (file, what) =>
      warn({
        file,
        line: null,
        code: 'description-too-large',
        message: `The API description has ${what}; the rest is not shown. Split it.`,
      }),
  });
  return { read, readAsync, resolver, schemas: openSchemas(resolver), lines };
}

function parsePart(source: SourceTree, file: string, warn: Warn): JsonObject | unknown[] | null {
  if (!source.has(file) || source.size(file) > MAX_BYTES) return null;
  const text = readTextFile(source, file, warn);
  const parsed = parseDescription(text, file);
  if (!('document' in parsed)) return null;
  const { document } = parsed;
  if (isObject(document)) resolveIdentifiers(document, text);
  return isObject(document) || Array.isArray(document) ? document : null;
}

function readDocument(
  source: SourceTree,
  file: string,
  overlays: readonly string[],
  warn: Warn,
): ApiDocument | Refusal {
  if (source.size(file) > MAX_BYTES) {
    const message = `The API description is larger than ${MAX_BYTES} bytes. Split it.`;
    return { code: 'description-too-large', message, line: null };
  }
  const text = readTextFile(source, file, warn);
  const parsed = parseDescription(text, file);
  if ('fault' in parsed) return { code: 'description-invalid', message: parsed.fault, line: parsed.line };
  const { document } = parsed;
  if (!isObject(document)) {
    return { code: 'description-invalid', message: 'The API description must be an object.', line: null };
  }
  for (const overlay of overlays) change(document, overlay, source, warn);
  resolveIdentifiers(document, text);
  return { document };
}

function change(document: JsonObject, overlay: string, source: SourceTree, warn: Warn): void {
  const report = (message: string, line: number | null = null): void =>
    warn({ file: overlay, line, code: 'description-overlay', message });
  if (source.size(overlay) > MAX_BYTES) {
    report(`The overlay is larger than ${MAX_BYTES} bytes. Split it.`);
    return;
  }
  const parsed = parseDescription(readTextFile(source, overlay, warn), overlay);
  if ('fault' in parsed) report(parsed.fault, parsed.line);
  else for (const fault of applyOverlay(document, parsed.document)) report(fault);
}

function asOpenApi3(document: JsonObject, file: string, resolver: Resolver): ApiDocument | Refusal {
  const { openapi, swagger } = document;
  if (typeof openapi === 'string' && openapi.startsWith('3.')) {
    noteFamilies(document);
    return { document };
  }
  if (String(swagger).startsWith('2.')) {
    inlineParts(document, file, resolver);
    addListStyles(document);
    const forms = prepareForms(document, file, resolver);
    try {
      const upgraded: unknown = upgradeFromTwoToThree(document);
      if (isObject(upgraded)) {
        restoreIntegers(upgraded);
        completeForms(upgraded, forms);
        noteFamilies(upgraded);
        return { document: upgraded };
      }
    } catch {
      const message =
        'The Swagger 2.0 description cannot be converted to OpenAPI 3. Check it with a validator.';
      return { code: 'description-invalid', message, line: null };
    }
  }
  const message =
    'Not an OpenAPI 3 or Swagger 2.0 description, so no pages are created. Convert it to OpenAPI 3.';
  return { code: 'description-version', message, line: null };
}

function asAsyncApi3(document: JsonObject): ApiDocument | Refusal {
  const { asyncapi } = document;
  const version = typeof asyncapi === 'string' || typeof asyncapi === 'number' ? String(asyncapi) : null;
  if (version !== null && /^3(?:\.|$)/.test(version)) return { document };
  const message =
    version === null
      ? 'Not an AsyncAPI description, so no pages are created. Add "asyncapi: 3.0.0", or correct the path.'
      : `AsyncAPI ${version.slice(0, 20)} is not supported, so no pages are created. Convert the file to AsyncAPI 3.0, for example with the command "asyncapi convert".`;
  return { code: 'description-version', message, line: null };
}
