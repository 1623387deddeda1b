import { isObject, type JsonObject } from '../config/json.ts';
import { type ChannelPlace, channelName, membersOf, type NamedAt, protocolOf } from '../reference/channel.ts';
import type { DescriptionUse } from '../reference/description-use.ts';
import type { ApiDocuments } from '../reference/documents.ts';
import { MAX_BYTES } from '../reference/documents.ts';
import type { Resolver } from '../reference/resolver.ts';
import { textOf } from '../reference/values.ts';
import type { SourceTree } from '../source.ts';
import type { Warn } from '../warning.ts';
import type { DescribedPage } from './described-page.ts';
import type { Channel } from './operation.ts';
import { slugify } from './slug.ts';

/** Channels of one description; each is a page. */
const MAX_CHANNELS = 20_000;
const MAX_OPERATIONS = 50_000;

/** One channel of an AsyncAPI description, as the navigation needs it. */
export interface DescribedChannel extends DescribedPage {
  id: string;
  /** Null if it is known only at run time. */
  address: string | null;
  /** Label in place of a method: `WS`, `KAFKA`. */
  protocol: string;
  title: string | null;
  description: string | null;
  place: ChannelPlace;
}

export interface ChannelDescription {
  /** File of the source. */
  file: string;
  document: JsonObject;
  /** In the order of the file. */
  channels: readonly DescribedChannel[];
  byId: ReadonlyMap<string, DescribedChannel>;
}

/** Reads each AsyncAPI description of a source once. */
export interface ChannelDescriptions {
  /** The description of a file; null (with one warning) when it is missing, unreadable or another format. */
  read(file: string): ChannelDescription | null;
  /** The same without a warning, for files that nobody called a description. */
  peek(file: string): ChannelDescription | null;
  /** Files that have been read as descriptions. */
  files(): string[];
}

export function openChannels(
  source: SourceTree,
  documents: ApiDocuments,
  use: Pick<DescriptionUse, 'used'>,
  warn: Warn,
): ChannelDescriptions {
  const described = new Map<string, ChannelDescription | null>();
  const reported = new Set<string>();
  const describe = (file: string): ChannelDescription | null => {
    let description = described.get(file);
    if (description === undefined) {
      const document = documents.readAsync(file);
      description = 'code' in document ? null : describeDocument(file, document.document, documents.resolver);
      described.set(file, description);
    }
    return description;
  };
  return {
    read(file) {
      use.used(file);
      const description = describe(file);
      if (description === null && !reported.has(file)) {
        reported.add(file);
        const document = documents.readAsync(file);
        warn({ file, ...('code' in document ? document : tooLarge) });
      }
      return description;
    },
    peek(file) {
      use.used(file);
      return described.has(file) || mentionsAsyncapi(source, file) ? describe(file) : null;
    },
    files: () => [...described].flatMap(([file, description]) => (description === null ? [] : [file])),
  };
}

const tooLarge = {
  code: 'description-too-large' as const,
  line: null,
  message: `The API description has more than ${MAX_CHANNELS} channels or ${MAX_OPERATIONS} operations. Split it.`,
};

/** A cheap check of the start of a file, so that data files are not parsed. */
function mentionsAsyncapi(source: SourceTree, file: string): boolean {
  if (!source.has(file) || source.size(file) > MAX_BYTES) return false;
  return /["']?asyncapi["']?\s{0,20}:/.test(source.readText(file).slice(0, 20_000));
}

/**
 * `[file] channel`, as in front matter: a channel by its id, the file as written. null for an empty text. An id may
 * contain spaces after a file with a usual extension.
 */
export function parseChannel(text: string): Pick<Channel, 'id' | 'spec'> | null {
  const written = text.trim();
  if (written === '') return null;
  const [, spec, id] =
    /^(\S+\.(?:json|ya?ml)|https?:\S+)\s+(.+)$/i.exec(written) ?? /^(\S+)\s+(\S+)$/.exec(written) ?? [];
  return spec === undefined || id === undefined ? { id: written, spec: null } : { id, spec };
}

function describeDocument(file: string, document: JsonObject, resolver: Resolver): ChannelDescription | null {
  const channels = membersOf({ value: document.channels, file, name: null }, resolver, MAX_CHANNELS + 1);
  const operations = membersOf(
    { value: document.operations, file, name: null },
    resolver,
    MAX_OPERATIONS + 1,
  );
  if (channels.length > MAX_CHANNELS || operations.length > MAX_OPERATIONS) return null;
  const uses = operationsByChannel(file, channels, operations, resolver);
  const described = channels.map(({ id, at }) => {
    const use = uses.get(id);
    return describeChannel(
      { document, file, id, channel: at, operations: use?.operations ?? [], replies: use?.replies ?? [] },
      resolver,
    );
  });
  return {
    file,
    document,
    channels: described,
    byId: new Map(described.map((channel) => [channel.id, channel])),
  };
}

type Uses = Map<string, { operations: NamedAt[]; replies: NamedAt[] }>;

/** Operations by the id of the channel that they use, and of the one that their replies use. */
function operationsByChannel(
  file: string,
  channels: readonly NamedAt[],
  operations: readonly NamedAt[],
  resolver: Resolver,
): Uses {
  const uses: Uses = new Map(channels.map(({ id }) => [id, { operations: [], replies: [] }]));
  const byValue = new Map<unknown, string>();
  for (const { id, at } of channels) if (!byValue.has(at.value)) byValue.set(at.value, id);
  const idOf = (written: unknown, from: string): string | undefined => {
    const at = { value: written, file: from, name: null };
    const name = channelName(at);
    // Two channels may be references to the same object.
    if (name !== null && name.file === file && uses.has(name.id)) return name.id;
    return written === undefined ? undefined : byValue.get(resolver.resolve(at)?.value);
  };
  for (const operation of operations) {
    const { value, file: from } = operation.at;
    const own = idOf(value.channel, from);
    if (own !== undefined) uses.get(own)?.operations.push(operation);
    if (value.reply === undefined) continue;
    const reply = resolver.resolve({ value: value.reply, file: from, name: null });
    if (reply === null || !isObject(reply.value)) continue;
    const other = idOf(reply.value.channel, reply.file);
    if (other !== undefined && other !== own) uses.get(other)?.replies.push(operation);
  }
  return uses;
}

function describeChannel(place: ChannelPlace, resolver: Resolver): DescribedChannel {
  const { id, channel } = place;
  const { value } = channel;
  const protocol = protocolLabel(protocolOf(place, resolver));
  const title = textOf(value.title);
  const tag = tagOf(place, resolver);
  const slug = slugify(title ?? id);
  return {
    id,
    address: textOf(value.address),
    protocol,
    title,
    description: textOf(value.description) ?? textOf(value.summary),
    tagSlug: tag === null ? null : slugify(tag.name),
    groups: [tag?.label ?? (protocol === 'WS' ? 'WebSockets' : 'Channels')],
    slug: slug === '' ? slugify(id) || 'channel' : slug,
    hidden: value['x-hidden'] === true,
    excluded: value['x-excluded'] === true,
    extension: isObject(value['x-mint']) ? value['x-mint'] : {},
    place,
  };
}

/** The first tag, with `x-group` or its name as label. */
function tagOf({ channel }: ChannelPlace, resolver: Resolver): { name: string; label: string } | null {
  const { tags } = channel.value;
  const [first] = Array.isArray(tags) ? tags : [];
  if (first === undefined) return null;
  const tag =
    typeof first === 'string' ? { name: first } : resolver.resolve({ ...channel, value: first })?.value;
  if (!isObject(tag)) return null;
  const name = textOf(tag.name);
  return name === null ? null : { name, label: textOf(tag['x-group']) ?? name };
}

const LABELS: Readonly<Record<string, string>> = {
  ws: 'WS',
  wss: 'WS',
  https: 'HTTP',
  'kafka-secure': 'KAFKA',
  mqtts: 'MQTT',
  mqtt5: 'MQTT',
  'secure-mqtt': 'MQTT',
  amqps: 'AMQP',
  amqp1: 'AMQP',
  googlepubsub: 'PUBSUB',
};

/** A protocol as the label of a page; `CHANNEL` where the description does not say one. */
function protocolLabel(protocol: string | null): string {
  const name = protocol?.toLowerCase() ?? '';
  if (Object.hasOwn(LABELS, name)) return LABELS[name]!;
  return /^[a-z][a-z0-9-]{0,11}$/.test(name) ? name.toUpperCase() : 'CHANNEL';
}
