/* Everything that readers enter for a request. */
import { makeCredentials } from './credentials.js';
import { make, newId } from './dom.js';
import { exampleOf, makeEditor } from './editors.js';
import { inputOf } from './reader.js';
import { makeServer } from './server.js';

const PLACES = [
  ['path', 'inPath'],
  ['query', 'inQuery'],
  ['querystring', 'inQuerystring'],
  ['header', 'inHeader'],
  ['cookie', 'inCookie'],
];

/** The inputs of a form, in sections. `makeBody` is null for requests without a body. */
export function makeInputs(form, context, makeBody) {
  const { words, options, isSocket = false } = context;
  const isAuthOnly = options.display === 'auth';
  const server = makeServer(form.servers, context);
  const credentials = makeCredentials(form, context);
  // Browsers send no body with these methods.
  const hasBody =
    makeBody !== null && form.bodies.length > 0 && form.method !== 'GET' && form.method !== 'HEAD';
  const body = !hasBody || isAuthOnly ? null : makeBody(form, context);
  const parameters = (isAuthOnly ? [] : form.parameters).map((parameter) => ({
    parameter,
    editor: makeEditor(
      parameter.name,
      parameter.field,
      {
        isRequired: parameter.isRequired,
        asText: parameter.contentType === null && parameter.in !== 'querystring',
      },
      context,
    ),
  }));
  const sections = [
    !isAuthOnly && section(words.server, server.node),
    form.security.some((schemes) => schemes.length > 0) && section(words.credentials, credentials.node),
    ...PLACES.map(([place, key]) => {
      const nodes = parameters
        .filter(({ parameter }) => parameter.in === place)
        .map(({ editor }) => editor.node);
      return nodes.length > 0 && section(words[key], ...nodes);
    }),
    body !== null && section(words.body, body.node),
  ];
  return {
    nodes: sections.filter((node) => node !== false),
    credentials,
    read: () => ({
      server: server.read(),
      parameters: Object.fromEntries(
        parameters
          .map(({ parameter, editor }) => [`${parameter.in}:${parameter.name}`, editor.read()])
          .filter(([, value]) => value !== undefined),
      ),
      body: body?.read() ?? null,
      credentials: credentials.read(),
    }),
    fillIn() {
      const initial = (field) => (options.prefill ? exampleOf(field) : undefined);
      for (const { parameter, editor } of parameters) {
        const { field, in: place } = parameter;
        // The address of a WebSocket has defaults.
        const value = isSocket && place === 'path' ? exampleOf(field) : initial(field);
        if (!editor.write(value)) editor.write(undefined);
      }
      body?.fillIn(initial);
    },
    /** Values of the reader go before examples. */
    fillFor(given) {
      for (const { parameter, editor } of parameters) {
        const value = inputOf(given, parameter.in, parameter.name);
        if (value !== undefined) editor.write(value);
      }
      server.fillFor(given);
      credentials.fillFor(given);
    },
    reset() {
      server.reset();
      credentials.reset();
    },
    check: () => [
      ...(isAuthOnly ? [] : server.check()),
      ...parameters.flatMap(({ parameter, editor }) =>
        editor.check().map((one) => markPath(one, parameter, words)),
      ),
      ...(body?.check() ?? []),
    ],
  };
}

/** A path without a value is the path of another operation: it is not sent. */
function markPath(problem, parameter, words) {
  if (parameter.in !== 'path' || problem.kind !== 'missing') return problem;
  problem.line?.showError(words.fillPath);
  return { ...problem, kind: 'invalid' };
}

export function section(title, ...nodes) {
  const id = newId();
  return make(
    'section',
    { class: 'op-pg-section', 'aria-labelledby': id },
    make('h3', { id }, title),
    ...nodes,
  );
}

/** Opens what is around an input, and moves the focus to it. */
export function reveal(target) {
  for (let at = target?.closest('details'); at; at = at.parentElement.closest('details')) at.open = true;
  target?.focus();
}
