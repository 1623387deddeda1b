import { isObject } from '../config/json.ts';
import { readApiText } from '../mdx/parse/api-markdown.ts';
import { isCopy } from '../remote/remote-files.ts';
import type { Channel, Operation, Page, SiteConfig } from '../site.ts';
import type { KnownWarning, Warn } from '../warning.ts';
import type { ChannelDescriptions } from './channel.ts';
import type { DescribedOperation, Descriptions } from './description.ts';
import { operationKey } from './operation.ts';

/** Descriptions that are looked through for the operations of pages. */
const MAX_CANDIDATES = 500;

/**
 * Completes a written page of an operation or channel from its description; `files` are the closest ones for operations
 * and `channelFiles` those for channels, if any.
 */
export type Adopt = (page: Page, files: readonly string[], channelFiles?: readonly string[]) => void;

/**
 * Gives the operation of a written page its description file: the named one by path, file name or file name
 * without extension; without a name the first of the closest that has the operation, else that of the site, else
 * the first file by path. What the page does not say itself comes from there: title, description, deprecation.
 * An operation that no description has is a warning.
 */
export function createAdoption(
  config: SiteConfig,
  assets: readonly string[],
  descriptions: Descriptions,
  warn: Warn,
): Adopt {
  const files = assets.filter((file) => /\.(?:json|ya?ml)$/i.test(file)).slice(0, MAX_CANDIDATES);
  const candidates = [...new Set([...config.api.openapi, ...files])];
  const byKey = new Map<string, string | null>();
  const done = new Set<Page>();
  const isIncomplete = namesOtherHost(config.raw) && !files.some(isCopy);
  const findAnywhere = (key: string): string | null => {
    let file = byKey.get(key);
    if (file === undefined) {
      file = candidates.find((candidate) => descriptions.peek(candidate)?.byKey.has(key)) ?? null;
      byKey.set(key, file);
    }
    return file;
  };
  const adoptChannel = createChannelAdoption(config, files, descriptions.channels, warn);
  return (page, near, nearChannels = []) => {
    const { operation, source } = page;
    if (page.channel !== null && source !== null && !done.has(page)) {
      done.add(page);
      adoptChannel(page, page.channel, source, nearChannels);
    }
    if (operation === null || source === null || done.has(page)) return;
    done.add(page);
    const isDescribed = typeof page.frontMatter.openapi === 'string';
    if (!isDescribed && /^https?:/i.test(operation.path)) return;
    const key = operationKey(operation.method, operation.path);
    if (operation.spec !== null) operation.spec = findFile(files, operation.spec);
    else {
      operation.spec = near.find((file) => descriptions.read(file)?.byKey.has(key)) ?? null;
      if (isDescribed) operation.spec ??= findAnywhere(key);
      if (isDescribed && operation.spec === null) warn(missing(source, operation, isIncomplete));
    }
    const described = operation.spec === null ? undefined : descriptions.peek(operation.spec)?.byKey.get(key);
    if (described !== undefined && isDescribed) complete(page, described);
    else if (isDescribed && operation.spec !== null && isRemote(operation.spec))
      warn(missingRemote(source, operation.spec, operation));
  };
}

type AdoptChannel = (page: Page, channel: Channel, source: string, near: readonly string[]) => void;

/** The same for a page of a channel. A channel that no description has leaves an ordinary page. */
function createChannelAdoption(
  { api }: SiteConfig,
  files: readonly string[],
  descriptions: ChannelDescriptions,
  warn: Warn,
): AdoptChannel {
  const candidates = [...new Set([...api.asyncapi, ...files])];
  const findAnywhere = (id: string): string | null =>
    candidates.find((candidate) => descriptions.peek(candidate)?.byId.has(id)) ?? null;
  return (page, channel, source, near) => {
    const { id, spec } = channel;
    const named = spec === null ? null : findFile(files, spec);
    const file = named ?? near.find((one) => descriptions.read(one)?.byId.has(id)) ?? findAnywhere(id);
    const isFile = file !== null && files.includes(file);
    const described = isFile ? descriptions.read(file)?.byId.get(id) : undefined;
    if (file === null || described === undefined) {
      page.channel = null;
      if (spec !== null && isRemote(spec)) {
        warn(notDownloaded(source, spec));
        return;
      }
      // A description that cannot be read has a warning of its own.
      if (!isFile || descriptions.peek(file) !== null) warn(missingChannel(source, id, file));
      return;
    }
    Object.assign(channel, {
      spec: file,
      protocol: described.protocol,
      address: described.address ?? id,
    } satisfies Partial<Channel>);
    const title = described.title ?? id;
    complete(page, { summary: title, description: described.description, deprecated: false });
  };
}

const missingChannel = (source: string, id: string, file: string | null): KnownWarning => ({
  file: source,
  line: 1,
  code: 'operation-missing',
  message: `${file === null ? 'No AsyncAPI description in the docs folder' : JSON.stringify(file.slice(0, 200))} contains the channel ${JSON.stringify(id.slice(0, 200))}. Correct "asyncapi" or add the description.`,
});

/** What a page does not say itself. */
function complete(
  page: Page,
  described: Pick<DescribedOperation, 'summary' | 'description' | 'deprecated'>,
): void {
  const { frontMatter } = page;
  if (!page.hasTitle && described.summary !== null) {
    page.title = described.summary;
    if (typeof frontMatter.sidebarTitle !== 'string') page.sidebarTitle = described.summary;
  }
  if (page.description === null) Object.assign(page, readApiText(described.description));
  if (frontMatter.deprecated === undefined) page.deprecated = described.deprecated;
}

/** Remote files and names of no file stay as written. */
function findFile(files: readonly string[], written: string): string {
  if (files.includes(written)) return written;
  const isNamed = (file: string): boolean => {
    const name = file.slice(file.lastIndexOf('/') + 1);
    return name === written || name.replace(/\.[^.]*$/, '') === written;
  };
  return files.find(isNamed) ?? written;
}

const isRemote = (spec: string): boolean => /^https?:/i.test(spec) || isCopy(spec);

const notDownloaded = (file: string, spec: string): KnownWarning => ({
  file,
  line: 1,
  code: 'remote-description',
  message: `${JSON.stringify(spec.slice(0, 200))} was not downloaded. Add the file to the docs folder and use its path.`,
});

/** The description of a page was not fetched, or it does not have the operation. */
function missingRemote(file: string, spec: string, operation: Operation): KnownWarning {
  if (!isCopy(spec)) return notDownloaded(file, spec);
  const name = `${operation.method} ${operation.path}`.slice(0, 200);
  const message = `The downloaded API description does not contain ${name}. Correct "openapi".`;
  return { file, line: 1, code: 'operation-missing', message };
}

const missing = (file: string, { method, path }: Operation, isIncomplete: boolean): KnownWarning => ({
  file,
  line: 1,
  code: 'operation-missing',
  message: `No API description in the docs folder contains ${`${method} ${path}`.slice(0, 200)}${
    isIncomplete
      ? ', and the one on another host was not downloaded. Add that description to the docs folder.'
      : '. Correct "openapi" or add the description.'
  }`,
});

/** Whether docs.json names an API description on another host anywhere. */
function namesOtherHost(raw: unknown): boolean {
  const open: unknown[] = [raw];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) for (const item of value) open.push(item ?? false);
    if (!isObject(value)) continue;
    const { openapi } = value;
    const written: unknown[] = Array.isArray(openapi)
      ? openapi
      : [isObject(openapi) ? openapi.source : openapi];
    if (written.some((source) => typeof source === 'string' && /^https?:/i.test(source))) return true;
    for (const member of Object.values(value)) open.push(member ?? false);
  }
  return false;
}
