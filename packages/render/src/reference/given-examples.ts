import type { Node } from '../tree.ts';
import { exampleOf } from './example.ts';
import { dataOf, type FieldScope, withText } from './fields.ts';
import { isLong } from './long-example.ts';
import type { ApiBody, ApiContent, ApiExample, ApiRemoteExample, ApiResponse } from './operation.ts';
import { isFile, isXml } from './request/form.ts';
import { tableOf } from './request/table.ts';
import { xmlOf } from './request/xml.ts';
import type { Schemas } from './schema.ts';
import { shortenJson, shortenText, shortenXml } from './shorten.ts';
import { code, element, fence, linkTo, paragraph, text } from './tree.ts';
import { isJsonType } from './values.ts';

/** Characters of one example that is shown, and of the examples of a body or of all responses, as far as each has the least. */
const MAX_EXAMPLE = 8_000;
const MAX_OF_ALL = 32_000;
const LEAST_EXAMPLE = 1_000;
/** Examples of one content type. */
const MAX_EXAMPLES = 24;
/** Examples of all responses of an operation, of which each content type has its share. */
const MAX_RESPONSE_EXAMPLES = 24;

/** Characters of each of that many examples. */
const roomOf = (count: number): number =>
  Math.max(LEAST_EXAMPLE, Math.min(MAX_EXAMPLE, Math.floor(MAX_OF_ALL / count)));

interface Limits {
  /** Examples. */
  readonly most: number;
  /** Characters of each. */
  readonly room: number;
}

type Shown = Pick<ApiExample, 'title' | 'value' | 'isRaw'>;

/** Examples as blocks of code: those of the description, else one made of the schema. */
export function examplesOf(
  content: Pick<ApiContent, 'type' | 'schema' | 'itemSchema'> & {
    readonly examples: readonly Shown[];
  },
  direction: 'request' | 'response',
  { schemas }: { readonly schemas: Schemas },
  status: string | null,
  limits: Limits = { most: MAX_EXAMPLES, room: roomOf(content.examples.length) },
): Node[] {
  const { type, schema, itemSchema, examples } = content;
  const given: Shown[] = examples.slice(0, limits.most);
  const at = schema ?? itemSchema;
  // A file is not the JSON that its content type names.
  const isMade = given.length === 0 && at !== null && !(isJsonType(type) && isFile(at, schemas));
  if (isMade) {
    const value = isXml(type)
      ? xmlOf(at, schemas, direction)
      : exampleOf(at, schemas, { direction, isComplete: true });
    given.push({ title: null, value });
  }
  return given.flatMap((example) => {
    const { title } = example;
    const label = [status, given.length > 1 || status === null ? title : null].filter((one) => one !== null);
    return blockOf(example, type, label.join(' ') || dataOf(type), limits.room);
  });
}

/** Examples of responses. Of further content types, only those that the description gives. */
export function responseExamples(
  responses: readonly ApiResponse[],
  options: { readonly schemas: Schemas },
): Node[] {
  const counts = responses.flatMap(({ contents }) => contents.map(({ examples }) => examples.length));
  const total = (share: number): number => counts.reduce((sum, count) => sum + Math.min(count, share), 0);
  let most = MAX_EXAMPLES;
  while (most > 1 && total(most) > MAX_RESPONSE_EXAMPLES) most--;
  const limits = { most, room: roomOf(total(most)) };
  return responses
    .flatMap(({ status, contents }) =>
      contents.flatMap((content, index) => {
        if (index === 0) return examplesOf(content, 'response', options, status, limits);
        const label = `${status} ${content.type}`;
        return content.examples.length === 0 ? [] : examplesOf(content, 'response', options, label, limits);
      }),
    )
    .slice(0, MAX_RESPONSE_EXAMPLES);
}

/** Examples of a body of which the samples, which show the first one, say too little; without samples, all of them. */
export function bodyExamples({ contents }: ApiBody, scope: FieldScope, hasSamples: boolean): Node[] {
  return contents.flatMap(({ type, examples, remoteExamples }, index) => {
    const [only] = examples;
    const isInSamples =
      hasSamples &&
      index === 0 &&
      examples.length === 1 &&
      only?.description === null &&
      only.isRaw !== true &&
      !isLong(only.value);
    const shown = isInSamples ? [] : examples.slice(0, MAX_EXAMPLES);
    const room = roomOf(shown.length);
    const folded = shown.map((example) => {
      const about = example.description === null ? [] : scope.markdown(example.description);
      return fold(example, type, [...about, ...blockOf(example, type, '', room)], scope);
    });
    return [...folded, ...remoteBodyExamples([{ type, remoteExamples }], scope)];
  });
}

/** Examples of bodies of which no sample shows the first one, without their texts. */
export function givenBodies(
  contents: readonly Pick<ApiContent, 'type' | 'examples'>[],
  scope: FieldScope,
): Node[] {
  const shown = contents.flatMap(({ type, examples }) =>
    examples.slice(0, MAX_EXAMPLES).map((example) => ({ type, example })),
  );
  const room = roomOf(shown.length);
  return shown
    .slice(0, MAX_RESPONSE_EXAMPLES)
    .map(({ type, example }) => fold(example, type, blockOf(example, type, '', room), scope));
}

/** Examples of bodies that are elsewhere. */
export function remoteBodyExamples(
  contents: readonly Pick<ApiContent, 'type' | 'remoteExamples'>[],
  scope: FieldScope,
): Node[] {
  return contents.flatMap(({ type, remoteExamples }) =>
    remoteExamples.map((example) => {
      const about = example.description === null ? [] : scope.markdown(example.description);
      return fold(example, type, [...about, paragraph([placeNode(example.url)])], scope);
    }),
  );
}

/** What a response says of its examples, and the addresses of those that are elsewhere. */
export function aboutExamples(
  contents: readonly (Pick<ApiContent, 'type' | 'remoteExamples'> & {
    readonly examples: readonly Pick<ApiExample, 'title' | 'description'>[];
  })[],
  scope: FieldScope,
): Node[] {
  return contents.flatMap(({ type, examples, remoteExamples }) => [
    ...examples.flatMap((example) =>
      example.description === null
        ? []
        : withText([exampleWords(example, type, scope)], example.description, scope),
    ),
    ...remoteNodes(remoteExamples, type, scope),
  ]);
}

const exampleWords = ({ title }: { title: string | null }, type: string, { strings }: FieldScope): Node =>
  text(`${strings.example} ${title ?? type}:`);

/** Where examples are that are not in the description. */
export function remoteNodes(examples: readonly ApiRemoteExample[], type: string, scope: FieldScope): Node[] {
  return examples.flatMap((example) =>
    withText(
      [exampleWords(example, type, scope), text(' '), placeNode(example.url)],
      example.description,
      scope,
    ),
  );
}

/** A relative URL is relative to a place that the site does not have. */
const placeNode = (url: string): Node => (/^https?:\/\//i.test(url) ? linkTo(url, url) : code(dataOf(url)));

function fold(
  { title }: Pick<ApiExample, 'title'>,
  type: string,
  content: Node[],
  { strings }: FieldScope,
): Node {
  return element('Expandable', { title: `${strings.example}: ${title ?? type}` }, content);
}

function blockOf({ value: written, isRaw }: Shown, type: string, label: string, room: number): Node[] {
  if (written === undefined) return [];
  const value = tableOf(written, type) ?? written;
  const isText = typeof value === 'string' && (isRaw === true || !isJsonType(type));
  const shorten = isXml(type) ? shortenXml : shortenText;
  const shown = isText ? shorten(value, room) : shortenJson(value, room);
  const language = isText ? languageOf(type) : 'json';
  return [fence(shown, language, label === '' ? null : titleOf(label))];
}

/** Text that ends no info string early. */
export const titleOf = (label: string): string =>
  label
    .replace(/[\s`{}[\]="]+/g, ' ')
    .trim()
    .slice(0, 80);

const languageOf = (type: string): string =>
  ['xml', 'html', 'json'].find((one) => type.includes(one)) ?? 'text';
