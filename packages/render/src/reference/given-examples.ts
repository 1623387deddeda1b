import type { Node } from '../tree.ts';
import { exampleOf } from './example.ts';
import { dataOf, type FieldScope, linkTo, withText } from './fields.ts';
import type { ApiBody, ApiContent, ApiExample, ApiResponse } from './operation.ts';
import type { Schemas } from './schema.ts';
import { element, fence, paragraph, text } from './tree.ts';

/** Characters of one example that is shown. */
const MAX_EXAMPLE = 8_000;
/** Examples of one content type. */
const MAX_EXAMPLES = 24;
/** Examples of all responses of an operation, of which each content type has its share. */
const MAX_RESPONSE_EXAMPLES = 24;

/** Examples as blocks of code: those of the description, else one made of the schema. */
export function examplesOf(
  content: Pick<ApiContent, 'type' | 'schema' | 'itemSchema'> & {
    readonly examples: readonly Pick<ApiExample, 'title' | 'value'>[];
  },
  direction: 'request' | 'response',
  { schemas }: { readonly schemas: Schemas },
  status: string | null,
  most = MAX_EXAMPLES,
): Node[] {
  const { type, schema, itemSchema, examples } = content;
  const given = examples.slice(0, most).map(({ title, value }) => ({ title, value }));
  const at = schema ?? itemSchema;
  if (given.length === 0 && at !== null)
    given.push({ title: null, value: exampleOf(at, schemas, { direction, isComplete: true }) });
  return given.flatMap(({ title, value }) => {
    const label = [status, given.length > 1 || status === null ? title : null].filter((one) => one !== null);
    return blockOf(value, type, label.join(' ') || dataOf(type));
  });
}

/** Examples of responses. Of further content types, only those that the description gives. */
export function responseExamples(
  responses: readonly ApiResponse[],
  options: { readonly schemas: Schemas },
): Node[] {
  const counts = responses.flatMap(({ contents }) => contents.map(({ examples }) => examples.length));
  let share = MAX_EXAMPLES;
  const isTooMany = (): boolean =>
    counts.reduce((sum, count) => sum + Math.min(count, share), 0) > MAX_RESPONSE_EXAMPLES;
  while (share > 1 && isTooMany()) share--;
  return responses
    .flatMap(({ status, contents }) =>
      contents.flatMap((content, index) => {
        if (index === 0) return examplesOf(content, 'response', options, status, share);
        const label = `${status} ${content.type}`;
        return content.examples.length === 0 ? [] : examplesOf(content, 'response', options, label, share);
      }),
    )
    .slice(0, MAX_RESPONSE_EXAMPLES);
}

/** Examples of a body of which the samples, which show the first one, say too little. */
export function bodyExamples({ contents }: ApiBody, scope: FieldScope): Node[] {
  return contents.flatMap(({ type, examples, remoteExamples }, index) => {
    const [only] = examples;
    const isInSamples = index === 0 && examples.length === 1 && only?.description === null;
    const shown = isInSamples ? [] : examples.slice(0, MAX_EXAMPLES);
    const folded = shown.map((example) => {
      const about = example.description === null ? [] : scope.markdown(example.description);
      return fold(example, type, [...about, ...blockOf(example.value, type, '')], scope);
    });
    const remote = remoteExamples.map((example) => {
      const about = example.description === null ? [] : scope.markdown(example.description);
      return fold(example, type, [...about, paragraph([linkTo(example.url, example.url)])], scope);
    });
    return [...folded, ...remote];
  });
}

/** What a response says of its examples, and the addresses of those that are elsewhere. */
export function aboutExamples(
  contents: readonly (Pick<ApiContent, 'type' | 'remoteExamples'> & {
    readonly examples: readonly Pick<ApiExample, 'title' | 'description'>[];
  })[],
  scope: FieldScope,
): Node[] {
  const words = ({ title }: { title: string | null }, type: string): Node =>
    text(`${scope.strings.example} ${title ?? type}:`);
  return contents.flatMap(({ type, examples, remoteExamples }) => [
    ...examples.flatMap((example) =>
      example.description === null ? [] : withText([words(example, type)], example.description, scope),
    ),
    ...remoteExamples.flatMap((example) =>
      withText(
        [words(example, type), text(' '), linkTo(example.url, example.url)],
        example.description,
        scope,
      ),
    ),
  ]);
}

function fold(
  { title }: Pick<ApiExample, 'title'>,
  type: string,
  content: Node[],
  { strings }: FieldScope,
): Node {
  return element('Expandable', { title: `${strings.example}: ${title ?? type}` }, content);
}

function blockOf(value: unknown, type: string, label: string): Node[] {
  if (value === undefined) return [];
  const isJson = typeof value !== 'string' || /json/i.test(type);
  const shown = isJson ? JSON.stringify(value, null, 2) : value;
  if (shown === undefined) return [];
  return [fence(shorten(shown), isJson ? 'json' : languageOf(type), label === '' ? null : titleOf(label))];
}

/** Text that ends no info string early. */
export const titleOf = (label: string): string =>
  label
    .replace(/[\s`{}[\]="]+/g, ' ')
    .trim()
    .slice(0, 80);

/** A long example up to the end of a line, if a line ends. */
function shorten(shown: string): string {
  if (shown.length <= MAX_EXAMPLE) return shown;
  const start = shown.slice(0, MAX_EXAMPLE);
  const end = start.lastIndexOf('\n');
  return `${end > 0 ? start.slice(0, end) : start}\n…`;
}

const languageOf = (type: string): string => (/xml/.test(type) ? 'xml' : /html/.test(type) ? 'html' : 'text');
