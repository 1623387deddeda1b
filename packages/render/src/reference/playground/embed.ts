import { existsSync, readFileSync } from 'node:fs';
import { fittingOrigins, isConnectOrigin } from '@offprint/bundle/policy';
import { assetPath } from '../../assets.ts';
import { escapeAttribute, escapeText } from '../../escape.ts';
import type { PageAsset } from '../../page-asset.ts';
import type { ApiScheme, ApiServer } from '../operation.ts';
import { packForm } from '../request/packed.ts';
import type { ChannelForm, RequestForm } from '../request/types.ts';
import { playgroundAssets, sampleScript, socketScript } from './script.ts';

/** How a site shows the playground (`api.playground` in docs.json). */
export interface PlaygroundOptions {
  /** `simple` sends no requests, `auth` shows only the credentials. */
  display: 'interactive' | 'simple' | 'auth';
  /** URL of a proxy for requests; null = they go to the API. */
  proxy: string | null;
  /** Requests send cookies. */
  credentials: boolean;
  /** Forms start with the examples of the description. */
  prefill: boolean;
}

/** The playground of a page. */
export interface Playground {
  html: string;
  /** Its script, which is loaded with its first use. */
  asset: PageAsset;
  /** Origins to which the page sends requests. */
  connect: readonly string[];
}

/** `samples`: keys of the languages of the last code samples of the page, which follow what readers enter. */
export function createPlayground(
  form: RequestForm,
  options: PlaygroundOptions,
  language: string,
  samples: readonly string[] = [],
): Playground {
  const { script } = playgroundAssets();
  const followed =
    options.display === 'auth' ? [] : samples.map((key) => ({ key, script: sampleScript(key) }));
  const data = {
    form: packForm(form),
    ...(followed.length === 0
      ? {}
      : { samples: followed.map(({ key, script: own }) => [key, own?.path ?? null]) }),
    options,
  };
  const files = followed.flatMap(({ script: own }) => own ?? []);
  return {
    ...embed(data, { script, files, language, hasWord: (name) => !name.startsWith(SOCKET) }),
    connect: options.display === 'simple' ? [] : originsOf(form, options.proxy),
  };
}

/** Words that only the panel of WebSockets needs. */
const SOCKET = 'socket';

/** The panel that opens a WebSocket, sends messages and shows those that arrive. */
export function createSocketPanel(
  form: ChannelForm,
  options: Pick<PlaygroundOptions, 'prefill'>,
  language: string,
): Playground {
  const data = { form: packForm(form), options };
  const script = socketScript();
  return {
    ...embed(data, { script, files: [], language, hasWord: () => true }),
    connect: originsOf(form, null),
  };
}

interface Embedded {
  script: PageAsset;
  /** Files that the script loads. */
  files: readonly PageAsset[];
  language: string;
  hasWord(name: string): boolean;
}

/** The element of the panel, with the data of its form. */
function embed(
  data: object,
  { script, files, language, hasWord }: Embedded,
): Pick<Playground, 'html' | 'asset'> {
  const { style } = playgroundAssets();
  const { label, failed, words } = wordsOf(language);
  const own = words === null ? {} : { words: Object.fromEntries(words.filter(([name]) => hasWord(name))) };
  const attributes = [
    ['data-op-failed', failed],
    ['data-op-script', script.path],
    ['data-op-style', style.path],
    ['data-op-return', 'offprint-'],
  ] as const;
  const written = attributes.map(([name, value]) => ` ${name}="${escapeAttribute(value)}"`).join('');
  const json = JSON.stringify({ ...data, ...own }).replaceAll('<', '\\u003c');
  const button = `<button type="button" class="tryit-button op-button op-playground-open">${escapeText(label)}</button>`;
  return {
    html: `<div class="op-playground" data-op-playground${written}><script type="application/json">${json}</script>${button}</div>`,
    asset: { ...script, kind: 'part', files: [style, ...files] },
  };
}

interface Words {
  label: string;
  failed: string;
  /** Null in English, which the script has. */
  words: readonly (readonly [name: string, text: string])[] | null;
}

const ENGLISH: Words = { label: 'Try it', failed: 'The playground could not be loaded', words: null };
const known = new Map<string, Words>();

function wordsOf(language: string): Words {
  let words = known.get(language);
  if (words === undefined) {
    words =
      readWords(language.toLowerCase()) ??
      readWords(language.toLowerCase().split('-', 1)[0] ?? '') ??
      ENGLISH;
    known.set(language, words);
  }
  return words;
}

function readWords(name: string): Words | null {
  if (!/^[a-z-]+$/.test(name)) return null;
  const file = assetPath(`packages/render/src/reference/playground/words/${name}.json`);
  if (!existsSync(file)) return null;
  const {
    label = ENGLISH.label,
    failed = ENGLISH.failed,
    ...words
  }: Record<string, string> = JSON.parse(readFileSync(file, 'utf8'));
  return { label, failed, words: Object.entries(words) };
}

/** Origins that one page may name; hostile descriptions have thousands of servers. */
const MAX_ORIGINS = 40;

function originsOf({ servers, security }: RequestForm, proxy: string | null): string[] {
  const urls = [...servers.flatMap(urlsOf), ...security.flat().flatMap(tokenUrls)];
  const origins = [...urls, proxy].flatMap((url) => (url === null ? [] : (originOf(url) ?? [])));
  return fittingOrigins([...new Set(origins)].slice(0, MAX_ORIGINS));
}

/** URLs of a server with its variables filled in; a first label that can be anything is `*`. */
function urlsOf({ url, variables }: ApiServer): string[] {
  let urls = [url];
  for (const { name, default: initial, values } of variables) {
    const choices = values.length > 0 ? values : [initial, '*'];
    urls = urls
      .flatMap((one) =>
        one.includes(`{${name}}`) ? choices.map((value) => one.replaceAll(`{${name}}`, value)) : [one],
      )
      .slice(0, MAX_ORIGINS);
  }
  return urls;
}

function tokenUrls(scheme: ApiScheme): string[] {
  if (scheme.type === 'openIdConnect') return [scheme.url];
  if (scheme.type !== 'oauth2') return [];
  return scheme.flows.flatMap(({ tokenUrl, refreshUrl, deviceAuthorizationUrl }) =>
    [tokenUrl, refreshUrl, deviceAuthorizationUrl].filter((url) => url !== null),
  );
}

/** The origin as a policy names it; null for a relative URL and for what a policy cannot name. */
function originOf(url: string): string | null {
  const origin = /^(?:https?|wss?):\/\/[^/?#\\]+/i
    .exec(url.trim())?.[0]
    .toLowerCase()
    .replace(/^([a-z]+:\/\/).*@/, '$1');
  return origin !== undefined && isConnectOrigin(origin) ? origin : null;
}
