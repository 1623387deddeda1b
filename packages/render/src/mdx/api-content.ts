import { isObject } from '../config/json.ts';
import { channelOf, operationOf } from '../nav/page-operation.ts';
import { decodePath } from '../nav/path.ts';
import { schemaPath } from '../nav/schema-page.ts';
import type { ApiChannel, ChannelName } from '../reference/channel.ts';
import { channelNodes } from '../reference/channel-page.ts';
import { stringifyExact } from '../reference/long-integers.ts';
import { type ApiOperation, METHODS } from '../reference/operation.ts';
import {
  type ReferenceOptions,
  type ReferenceSample,
  referenceNodes,
  sampleNodes,
  schemaNodes,
  shownSamples,
} from '../reference/page.ts';
import {
  createPlayground,
  createSocketPanel,
  type Playground,
  type PlaygroundOptions,
} from '../reference/playground/embed.ts';
import { buildRequest, exampleValues } from '../reference/request/build.js';
import { channelForm } from '../reference/request/channel.ts';
import { requestForm } from '../reference/request/form.ts';
import type { RequestForm } from '../reference/request/types.ts';
import { writtenForm } from '../reference/request/written.ts';
import type { At } from '../reference/resolver.ts';
import { findLanguage } from '../reference/samples/index.ts';
import { element, fence, paragraph, text } from '../reference/tree.ts';
import { endpointOf, type Page } from '../site.ts';
import { stringsFor } from '../theme/words/index.ts';
import type { Heading, Node } from '../tree.ts';
import type { BodySite } from './body-site.ts';
import { resolveFragment } from './evaluate/resolve.ts';
import { mark } from './evaluate/snippets.ts';
import type { Budget } from './guard/budget.ts';
import { parseApiMarkdown } from './parse/api-markdown.ts';
import { collectDefinitions } from './parse/modules.ts';
import type { SiteState } from './state.ts';
import { lineText } from './text.ts';
import { anchorOf } from './write/anchors.ts';

/** What a page shows of the operation that it documents. */
interface ApiContent {
  /** The description of the operation, where it has blocks. */
  lead: Node[];
  /** Parameters, bodies and examples. */
  reference: Node[];
  playground: Playground | null;
  /** Whether it is an example that was made: values of the fields, which the search finds by their names and texts. */
  isUnsearched(node: Node): boolean;
}

/** `body` is what the page itself contains. */
export function apiContent(page: Page, body: readonly Node[], budget: Budget, site: SiteState): ApiContent {
  site.siteMap.descriptions.schemas.trim();
  const { schemaPages } = site.siteMap;
  const file = endpointOf(page)?.spec ?? page.source ?? schemaPages.get(page.path)?.file ?? page.path;
  const markdown = (written: string): Node[] => resolveShared(written, file, page, budget, site);
  const operation = operationOf(page, site.siteMap);
  const form =
    operation === null
      ? writtenFormOf(page, body, site.siteMap)
      : requestForm(operation, site.siteMap.descriptions.schemas);
  const samples = form === null || operation?.isWebhook === true ? [] : samplesOf(form, site.siteMap);
  const channel = operation === null ? channelOf(page, site.siteMap) : null;
  const source: PageSource = { page, body, operation, channel, form, samples };
  const reference = referenceOf(
    source,
    (written) => plainText(written) ?? withoutHeadings(markdown(written)),
    site.siteMap,
  );
  const examples = new Set(reference.filter(isExample));
  return {
    lead: page.lead === null ? [] : resolveText(page.lead, file, page, budget, site),
    reference,
    playground: playgroundOf(source, site.siteMap),
    isUnsearched: (node) => examples.has(node),
  };
}

const isExample = (node: Node): boolean =>
  node.type === 'element' && (node.name === 'RequestExample' || node.name === 'ResponseExample');

/** A page, what it contains itself, and its operation. */
interface PageSource {
  page: Page;
  body: readonly Node[];
  operation: ApiOperation | null;
  channel: ApiChannel | null;
  form: RequestForm | null;
  /** Samples that are made for it. */
  samples: readonly ReferenceSample[];
}

/** The request of an operation that the page describes by hand. */
function writtenFormOf(page: Page, body: readonly Node[], { config }: BodySite): RequestForm | null {
  const { operation, front } = page;
  if (operation === null || front.api === null || operation.method === 'WEBHOOK') return null;
  const { server, auth } = config.api.mdx;
  const method = front.authMethod ?? auth?.method ?? null;
  return writtenForm(
    {
      method: operation.method,
      path: operation.path,
      servers: server,
      auth: method === null ? null : { method, name: auth?.name ?? null },
      contentType: front.contentType,
    },
    body,
  );
}

/** The page decides before the site does; an export may leave it out of all pages. */
function playgroundOf(source: PageSource, siteMap: BodySite): Playground | null {
  const { page, operation, channel, form } = source;
  if ((form === null && channel === null) || operation?.isWebhook === true) return null;
  const { excluded, api } = siteMap.config;
  const display = page.front.playground ?? api.playground.display;
  if (display === 'none' || excluded.playground !== undefined) return null;
  const { proxy, credentials } = api.playground;
  const options = {
    display,
    proxy: typeof proxy === 'string' && /^https?:\/\//i.test(proxy) ? proxy : null,
    credentials,
    prefill: api.examples.prefill,
  };
  if (channel !== null) return socketPanelOf(channel, options, page, siteMap);
  if (form === null) return null;
  return createPlayground(form, options, siteMap.languageOf(page), followedLanguages(source));
}

/** Without connections, nothing of the panel is left. */
function socketPanelOf(
  channel: ApiChannel,
  options: PlaygroundOptions,
  page: Page,
  siteMap: BodySite,
): Playground | null {
  const form = options.display === 'interactive' ? channelForm(channel, siteMap.descriptions.schemas) : null;
  return form === null ? null : createSocketPanel(form, options, siteMap.languageOf(page));
}

/** Languages of the samples that the page shows and that are made: the last ones. */
function followedLanguages({ body, operation, samples }: PageSource): string[] {
  if (hasElement(body, 'RequestExample')) return [];
  const shown = operation === null ? samples : shownSamples(operation, samples);
  return shown.flatMap(({ key }) => key ?? []);
}

function referenceOf(
  { page, body, operation, channel, form, samples }: PageSource,
  markdown: ReferenceOptions['markdown'],
  siteMap: BodySite,
): Node[] {
  const schema =
    operation === null && channel === null
      ? (siteMap.schemaPages.get(page.path)?.schema() ?? schemaOf(page, siteMap))
      : null;
  if (form === null && channel === null && schema === null) return [];
  const { descriptions, config } = siteMap;
  const isEmbedded = config.markdown.schema;
  const options: ReferenceOptions = {
    schemas: descriptions.schemas,
    strings: stringsFor(siteMap.languageOf(page)),
    markdown,
    post: config.api.params.post,
    isExpanded: config.api.params.expanded === 'all',
    pageOf: (at, name) => schemaPage(at, name, page, siteMap),
    samples,
    has: { request: hasElement(body, 'RequestExample'), response: hasElement(body, 'ResponseExample') },
  };
  if (channel !== null) {
    const linkTo = (name: ChannelName): string | null => channelLink(name, siteMap);
    return [
      ...channelNodes(channel, { ...options, linkTo }),
      ...(isEmbedded ? channelForAgents(channel) : []),
    ];
  }
  if (schema !== null) return schemaNodes(schema, options);
  if (operation === null) return sampleNodes(options);
  return [...referenceNodes(operation, options), ...(isEmbedded ? forAgents(operation) : [])];
}

/** URL path of the page of a schema that a page shows. */
function schemaPage(at: At, name: string, page: Page, siteMap: BodySite): string | null {
  const target = siteMap.descriptions.schemas.resolver.resolve(at);
  if (target === null) return null;
  const schema = (): At => ({ ...target, name });
  return schemaPath({ file: target.file, name, schema }, page, siteMap);
}

/** Languages of samples where docs.json names none. */
const LANGUAGES = ['bash', 'python', 'javascript'];

function samplesOf(form: RequestForm, { config }: BodySite): ReferenceSample[] {
  const { autogenerate, defaults, languages } = config.api.examples;
  if (!autogenerate) return [];
  const request = buildRequest(form, exampleValues(form, { onlyRequired: defaults === 'required' }));
  const names = languages.length > 0 ? languages : LANGUAGES;
  const known = new Set(names.flatMap((name) => findLanguage(name) ?? []));
  return [...known].map((language) => ({
    key: language.key,
    label: language.label,
    lang: language.lang,
    code: language.write(request),
  }));
}

/** The schema of `openapi-schema: "[file] Name"`; without a file the first description that has the name. */
function schemaOf({ front }: Page, { descriptions, config, descriptionFiles }: BodySite): At | null {
  const words = front['openapi-schema']?.trim().split(/\s+/) ?? [];
  const name = words.pop();
  if (name === undefined) return null;
  const [named] = words;
  const own = named === undefined ? null : named.replace(/^(?:\.?\/)+/, '');
  const files = own === null ? [...config.api.openapi, ...descriptionFiles] : [own];
  for (const file of files) {
    const components = descriptions.peek(file)?.document.components;
    const schemas = isObject(components) ? components.schemas : undefined;
    if (isObject(schemas) && Object.hasOwn(schemas, name)) return { value: schemas[name], file, name };
  }
  return null;
}

/** Characters of an operation that a Markdown copy contains as it is described; larger ones only as fields. */
const MAX_EMBEDDED = 12_000;
/** Longer descriptions have no indentation, which is a third of their characters. */
const MAX_INDENTED = 2_000;

/** Agents read the description itself, too; the page has its text already. */
function forAgents({ written, shared, method, path, isWebhook, others }: ApiOperation): Node[] {
  const { summary: _summary, description: _description, ...rest } = written;
  const methods = others.map((other) => [other.method.toLowerCase(), other.written]);
  const key = method.toLowerCase();
  const own = METHODS.includes(key) ? { [key]: rest } : { additionalOperations: { [method]: rest } };
  const item = { [path]: { ...shared, ...own, ...Object.fromEntries(methods) } };
  return embedded(isWebhook ? { webhooks: item } : { paths: item }, 'OpenAPI');
}

function channelForAgents({ id, written, operations }: ApiChannel): Node[] {
  const { title: _title, description: _description, ...rest } = written;
  const used = Object.fromEntries(operations.map((operation) => [operation.id, operation.written]));
  return embedded({ channels: Object.fromEntries([[id, rest]]), operations: used }, 'AsyncAPI');
}

function embedded(part: unknown, title: string): Node[] {
  const compact = stringifyExact(part);
  if (compact.length > MAX_EMBEDDED) return [];
  const shown = compact.length > MAX_INDENTED ? compact : stringifyExact(part, 2);
  return [element('Visibility', { for: 'agents' }, [fence(shown, 'json', title)])];
}

/** URL of the page of a channel. */
function channelLink({ file, id }: ChannelName, siteMap: BodySite): string | null {
  const page = siteMap.pageOfChannel(file, id);
  return page === undefined ? null : `/${page.path}`;
}

function hasElement(nodes: readonly Node[], name: string): boolean {
  return nodes.some(
    (node) =>
      (node.type === 'element' && node.name === name) ||
      ('children' in node && hasElement(node.children, name)),
  );
}

/** Characters that may be Markdown, HTML or a link. */
const MARKS =
  /[`*[\]<>&\\|~#$@^]|\b(?:https?:|www\.)|(?:^|[\s(])_|\n[ \t]*(?:[-+=]|\d+[.)]|\n)|^[ \t]*(?:[-+]|\d+[.)])[ \t]/;

/** A text without Markdown, which most texts of fields are, as one paragraph; null with it. */
function plainText(written: string): Node[] | null {
  return MARKS.test(written) ? null : [paragraph([text(written)])];
}

/** Markdown of an API description, which several pages may show. */
function resolveShared(written: string, file: string, page: Page, budget: Budget, site: SiteState): Node[] {
  const key = `${file}\n${written}`;
  const known = site.apiTexts.get(key);
  if (known !== undefined) {
    known.repeat();
    return known.result;
  }
  const resolved = site.lookups.record(() => resolveText(written, file, page, budget, site));
  site.apiTexts.set(key, resolved);
  return resolved.result;
}

/** Markdown of an API description. Its warnings name the file of the description. */
function resolveText(written: string, file: string, page: Page, { steps }: Budget, site: SiteState): Node[] {
  const children = parseApiMarkdown(written, file).children ?? [];
  const definitions = collectDefinitions(children, written);
  const module = { file, children, definitions, code: [], broken: false };
  return linkOperations(mark(site, resolveFragment(page, module, steps, site), file), site.siteMap);
}

/** The text of a field adds no sections to the page. */
function withoutHeadings(nodes: readonly Node[]): Node[] {
  return nodes.map((node) =>
    node.type === 'heading' ? paragraph([{ type: 'strong', children: node.children }]) : node,
  );
}

/** As viewers of one page write links to an operation: `#operation/id`, `#tag/name/operation/id`, `#tag/name/GET/path`. */
const OPERATION_LINK = /^#(?:tag\/[^/]*\/)?operation\/([^/]+)$/;
const PLACE_LINK = /^#tag\/[^/]*\/([A-Z]+)(\/.*)$/;

/**
 * Descriptions are written for one long page. Of links inside it, those to operations lead to their pages, and those to
 * headings of the same text stay; the others have no target here. Changes nodes that only this site has.
 */
function linkOperations(nodes: Node[], siteMap: BodySite): Node[] {
  const anchors = new Set(nodes.flatMap((node) => (node.type === 'heading' ? [headingId(node)] : [])));
  const targetOf = (url: string): string | null => {
    if (!url.startsWith('#') || anchors.has(url.slice(1))) return url;
    const [, method = '', path = ''] = PLACE_LINK.exec(url) ?? [];
    const name = OPERATION_LINK.exec(url)?.[1] ?? `${method} ${decodePath(path)}`;
    const page = siteMap.pageOfOperation(name);
    return page === undefined ? null : `/${page.path}`;
  };
  relink(nodes, targetOf, false);
  return nodes;
}

const headingId = (node: Heading): string => node.id ?? anchorOf(node.anchor ?? lineText(node.children));

/** `isStrong`: the text around the nodes is strong already, so that a link without a target needs no emphasis. */
function relink(nodes: Node[], targetOf: (url: string) => string | null, isStrong: boolean): void {
  for (const [index, node] of nodes.entries()) {
    if (!('children' in node)) continue;
    relink(node.children, targetOf, isStrong || node.type === 'strong');
    const written =
      node.type === 'link' ? node.url : node.type === 'element' && node.name === 'a' ? node.props.href : null;
    if (typeof written !== 'string') continue;
    const target = targetOf(written);
    if (target === null && isStrong) nodes.splice(index, 1, ...node.children);
    else if (target === null) nodes[index] = { type: 'strong', children: node.children };
    else if (node.type === 'link') node.url = target;
    else if (node.type === 'element') node.props.href = target;
  }
}
