import { buildRequest } from '../request/build.js';
import type { FormBody, FormField, FormParameter, HttpRequest, RequestForm } from '../request/types.ts';

/** Files of the working folder of samples, by name. */
export const files: Readonly<Record<string, string>> = {
  'photo.png': '\u0089PNG\r\n\u001a\n\0binary',
  "a b'c;d,e.txt": 'text of a file',
};

/** Texts that languages read as something else. */
export const hostile: readonly string[] = [
  'a\'b"c\\d`e$HOME$(id)\u0024{x}#{1+1}#$x\\(1)%41%s%%',
  '</script><!-- */ // ?> <?php --> ]]> """ \'\'\' )body" "# "## r#" @"',
  'first\nsecond\r\n\tthird\n',
  'é ü 😀 \u200d \u2028 \u202e ‘a’ “b” ‛ ‚ „ end',
  '@photo.png',
  '<photo.png',
  '"quoted";type=text/html',
  '(a',
  ' space ',
  '-x',
  '\\',
  '\\u0041\\x41\\101\\n',
  '\u0001\u001b[31m\u007f\u0085',
  'a=b&c=d;e,f??/ ??=',
  "it's\n`back`\n\u0024{dollar} $dollar {{x}}\n\"\"\"\n'''\n\\ end",
  "'",
  '"',
  '$',
];

const field: FormField = { type: 'any', format: null, values: [] };
const file: FormField = { type: 'file', format: null, values: [] };

const parameter = (options: Partial<FormParameter>): FormParameter => ({
  ...{ name: 'p', in: 'query', isRequired: false, style: 'form', explode: true },
  ...{ allowReserved: false, contentType: null, field },
  ...options,
});

const list = ['a b', 'c,d', "e'f"];
const object = { R: 100, 'G g': '2&3', "B'": '"x"' };
const all = hostile.join(' ');

interface Case {
  method?: string;
  parameters?: readonly (readonly [Partial<FormParameter>, unknown])[];
  type?: string;
  value?: unknown;
  body?: Partial<FormBody>;
}

const places: readonly Case[] = [
  { parameters: [[{}, all]] },
  { parameters: [[{ name: all, allowReserved: true }, all]] },
  { parameters: [[{ in: 'path', style: 'simple' }, list]] },
  { parameters: [[{ in: 'path', style: 'simple' }, all]] },
  { parameters: [[{ in: 'path', style: 'label', explode: true }, object]] },
  { parameters: [[{ in: 'path', style: 'matrix', explode: false }, list]] },
  { parameters: [[{ style: 'spaceDelimited', explode: false }, list]] },
  { parameters: [[{ style: 'pipeDelimited', explode: false }, object]] },
  { parameters: [[{ style: 'deepObject' }, { a: { b: ['c', "d'"] } }]] },
  { parameters: [[{ contentType: 'application/json' }, { a: [all] }]] },
  {
    parameters: hostile.map((text, index) => [{ in: 'header', name: `X-H${index}`, style: 'simple' }, text]),
  },
  { parameters: [[{ in: 'header', name: "X-!#$%&'*+.^_`|~", style: 'simple' }, 'x']] },
  { parameters: [[{ in: 'header', name: 'X-Empty', style: 'simple' }, '']] },
  { parameters: hostile.map((text, index) => [{ in: 'cookie', name: `c${index}` }, text]) },
  { parameters: [[{ in: 'cookie', name: 'session', style: 'cookie' }, all]] },
  { method: 'HEAD', parameters: [[{}, list]] },
  { method: 'DELETE' },
  { method: 'PUT' },
  { method: 'OPTIONS', parameters: [[{}, '1']] },
];

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';

const bodies: readonly Case[] = [
  {
    type: json,
    value: { text: all, list: hostile, nested: { a: [], b: {}, c: null, d: [true, false, 1.5, -1e21] } },
  },
  { type: json, value: hostile.map((text) => ({ [text]: text })) },
  { type: json, value: JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}') as unknown },
  { type: json, value: null },
  { type: json, value: 'text' },
  { type: json, value: 0 },
  { method: 'PATCH', type: 'application/merge-patch+json', value: { a: null } },
  { method: 'DELETE', type: 'application/json; charset=utf-8', value: { ids: [1, 2] } },
  { method: 'QUERY', type: json, value: { q: "it's" } },
  ...hostile.map((value) => ({ type: 'text/plain', value })),
  {
    type: 'application/xml',
    value: `<?xml version="1.0"?>\n<a b="c'd">\n  ${all.replace(/[<>&]/g, '')}\n</a>`,
  },
  { type: 'text/plain', value: '\n  indented\n\n    more  \n' },
  { type: 'text/plain', value: 'ends with quotes\n"""' },
  { type: 'text/plain', value: "\nends with quotes\n'''" },
  { type: 'text/plain', value: '' },
  { type: form, value: Object.fromEntries(hostile.map((text, index) => [`k${index}`, text])) },
  { type: form, value: Object.fromEntries(hostile.map((text) => [text, 'x'])) },
  { type: form, value: { list, object, a: '' } },
  { type: 'image/png', value: 'photo.png', body: { field: file } },
  { type: 'application/octet-stream', value: "a b'c;d,e.txt", body: { field: file } },
];

const parts = (names: readonly string[]): Partial<FormBody> => ({
  field: {
    ...{ ...field, type: 'object' },
    properties: names.map((name) => ({ name, isRequired: true, field: file })),
  },
});

const multiparts: readonly Case[] = [
  {
    type: 'multipart/form-data',
    value: Object.fromEntries(hostile.map((text, index) => [`k${index}`, text])),
  },
  {
    type: 'multipart/form-data',
    value: { photo: 'photo.png', name: "it's", other: "a b'c;d,e.txt" },
    body: { ...parts(['photo', 'other']), encoding: { photo: { contentType: 'image/png' } } },
  },
  {
    type: 'multipart/form-data',
    value: { photos: ['photo.png', 'photo.png'], tags: list },
    body: parts(['photos']),
  },
  { type: 'multipart/form-data', value: { meta: { text: all }, photo: 'photo.png' }, body: parts(['photo']) },
  {
    type: 'multipart/form-data',
    value: Object.fromEntries(hostile.map((text, index) => [`k${index}`, text])),
    body: {
      encoding: Object.fromEntries(hostile.map((_, index) => [`k${index}`, { contentType: 'text/x-a' }])),
    },
  },
  {
    type: 'multipart/form-data',
    value: { 'a"b\'c\\$d`': 'x', é: 'y', 'photo"': 'photo.png' },
    body: parts(['photo"']),
  },
  {
    type: 'multipart/mixed',
    value: { meta: { text: all }, photo: 'photo.png', "it's": 'x' },
    body: { ...parts(['photo']), encoding: { photo: { contentType: 'image/png' } } },
  },
];

/** Requests to a server, each below a path of its index. */
export function sampleRequests(server: string): HttpRequest[] {
  return [...places, ...bodies, ...multiparts].map((one, index) => {
    const parameters = (one.parameters ?? []).map(([options]) => parameter(options));
    const isPath = parameters.some((known) => known.in === 'path');
    const requestForm: RequestForm = {
      ...{ method: one.method ?? (one.type === undefined ? 'GET' : 'POST'), path: isPath ? '/x/{p}' : '/x' },
      ...{ servers: [], security: [], parameters, isBodyRequired: true },
      bodies: one.type === undefined ? [] : [{ type: one.type, field, encoding: {}, ...one.body }],
    };
    return buildRequest(requestForm, {
      server: `${server}/${index}`,
      parameters: Object.fromEntries(
        (one.parameters ?? []).map(([, value], at) => [
          `${parameters[at]?.in}:${parameters[at]?.name}`,
          value,
        ]),
      ),
      body: one.type === undefined ? null : { type: one.type, value: one.value },
      credentials: {},
    });
  });
}
