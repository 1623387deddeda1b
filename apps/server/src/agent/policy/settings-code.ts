import type { CodeFound } from '../check/docs-check.ts';
import { type ConfigTree, lineAt, openConfig, type Place } from '../edit/config-tree.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** A value of docs.json, with its references followed. */
interface Setting {
  keys: readonly string[];
  /** The value as JSON. */
  json: string;
  value: unknown;
  file: string;
  /** 1-based line of the file. */
  line(): number;
}

/** Something of docs.json, at its place. */
export interface SettingFound extends CodeFound {
  path: string;
}

/** What docs.json decides about the browsers of readers. */
export interface SettingsCode {
  found: SettingFound[];
  /** Texts that the base does not have; pages show them as Markdown. */
  markup: { path: string; line: number; text: string }[];
  variables: { before: Record<string, string>; after: Record<string, string> };
}

type Files = Pick<Workspace, 'read' | 'has'>;

/** Settings whose purpose is code of other parties. */
const CODE_KEYS = new Set(['analytics', 'head', 'scripts', 'script', 'customScripts', 'plugins', 'js']);
/** Members of the playground that decide where requests and credentials go. */
const PLAYGROUND = new Set(['proxy', 'credentials', 'proxyUrl', 'url']);
/** Settings that are compared as a whole. */
const WHOLE = new Set([...CODE_KEYS, 'integrations', 'redirects']);
const MAX_SETTINGS = 200_000;
const MAX_DEPTH = 60;

/** Reports what a changed docs.json has that its base has not: integrations, redirects, servers, code in variables. */
export function findInSettings(before: Files, after: Files): SettingsCode {
  const [was, is] = [readSettings(before), readSettings(after)];
  const variables = { before: variablesOf(was ?? []), after: variablesOf(is ?? []) };
  if (is === null) {
    const path = after.has('docs.json') || !after.has('mint.json') ? 'docs.json' : 'mint.json';
    const found = { path, line: 1, what: 'settings that cannot be read', key: '', unless: null };
    return { found: after.has(path) ? [found] : [], markup: [], variables };
  }
  const known = new Set((was ?? []).map(({ keys, json }) => `${keys.join('/')}\0${json}`));
  const fresh = is.filter(({ keys, json }) => !known.has(`${keys.join('/')}\0${json}`));
  const texts = new Set((was ?? []).map(({ value }) => value));
  const found = fresh.flatMap((setting) =>
    codeOf(setting).map(({ what, unless = null }) => ({
      path: setting.file,
      line: setting.line(),
      what,
      key: '',
      unless,
    })),
  );
  const markup = fresh.flatMap(({ value, file, line }) =>
    typeof value === 'string' && !texts.has(value) && /[<:]|\]\(/.test(value)
      ? [{ path: file, line: line(), text: value }]
      : [],
  );
  return { found, markup, variables };
}

interface Code {
  what: string;
  unless?: CodeFound['unless'];
}

function codeOf({ keys, value }: Setting): Code[] {
  const [top = '', second, third] = keys;
  const last = keys.at(-1) ?? '';
  if (top === 'integrations' && keys.length === 2)
    return [{ what: `the integration \`${second}\`, which loads code of another party` }];
  if (CODE_KEYS.has(top) && keys.length === 1)
    return [{ what: `the setting \`${top}\`, which may load code` }];
  if (top === 'redirects' && isRecord(value)) return redirectCode(value);
  if (
    top === 'variables' &&
    keys.length === 2 &&
    typeof value === 'string' &&
    /[{}()=`<>"']|:\/\/|script\s*:/i.test(value)
  )
    return [{ what: `the variable \`${second}\`, whose text may become code of a page` }];
  if (top === 'api' && second === 'playground' && third !== undefined && PLAYGROUND.has(third))
    return [{ what: `the setting \`api.playground.${third}\`, which decides where requests are sent` }];
  const host = typeof value === 'string' ? hostOf(value) : null;
  if (host === null) return [];
  const unless = { kind: 'api', name: host } as const;
  if (top === 'api') return [{ what: `API requests to \`${host}\` (\`${keys.join('.')}\`)`, unless }];
  if (last === 'openapi' || last === 'asyncapi' || (keys.includes('openapi') && last === 'source'))
    return [{ what: `an API description of \`${host}\``, unless }];
  return [];
}

function redirectCode(redirect: Record<string, unknown>): Code[] {
  const { source, destination } = redirect;
  if (typeof source !== 'string' || typeof destination !== 'string') return [];
  const host = hostOf(destination);
  if (host !== null) return [{ what: `a redirect to another host (\`${host}\`)` }];
  const first = source.split('/').find((segment) => segment !== '') ?? '';
  const isWhole = /[*:({\\[+?]/.test(first);
  return isWhole ? [{ what: `a redirect of the whole site (\`${source.slice(0, 100)}\`)` }] : [];
}

/** Host of a URL as browsers read it; null for a path. A scheme without a host is one too: `javascript:`. */
function hostOf(written: string): string | null {
  const url = written
    .replace(/^[\0- ]+/, '')
    .replace(/[\t\n\r]/g, '')
    .replaceAll('\\', '/');
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0].toLowerCase();
  const authority = /^(?:[a-z][a-z0-9+.-]*:)?\/\/+([^/?#]*)/i.exec(url)?.[1];
  if (authority !== undefined)
    return (authority.split('@').at(-1) ?? '').replace(/:\d*$/, '').toLowerCase() || null;
  return scheme === undefined || scheme === 'mailto:' || scheme === 'tel:' ? null : scheme;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function variablesOf(settings: readonly Setting[]): Record<string, string> {
  return Object.fromEntries(
    settings.flatMap(({ keys, value }) =>
      keys[0] === 'variables' && keys.length === 2 && typeof value === 'string'
        ? [[keys[1] ?? '', value]]
        : [],
    ),
  );
}

/** Every value of the configuration; items of lists have the keys of the list. Null when it cannot be read. */
function readSettings(files: Files): Setting[] | null {
  try {
    const config = openConfig(files);
    const settings: Setting[] = [];
    plainValue(config, config.root, [], settings, 0);
    return settings;
  } catch {
    return null;
  }
}

/** The plain value of a place; adds what is in it. Throws ConfigFault. */
function plainValue(
  config: ConfigTree,
  place: Place,
  keys: readonly string[],
  settings: Setting[],
  depth: number,
): unknown {
  if (depth > MAX_DEPTH || settings.length > MAX_SETTINGS) throw new Error('the configuration is too large');
  const read = config.read(place);
  let value: unknown;
  if (read.type === 'array')
    value = read.items.map((item) => plainValue(config, item, keys, settings, depth + 1));
  else if (read.type === 'object') {
    value = Object.fromEntries(
      [...read.members].map(([key, member]) => [
        key,
        plainValue(config, member, [...keys, key], settings, depth + 1),
      ]),
    );
  } else value = read.value;
  const { file, node } = read.place;
  const line = (): number => lineAt(config.texts.get(file) ?? '', node.offset);
  if (read.type === 'scalar' || (read.type === 'object' && WHOLE.has(keys[0] ?? '')))
    settings.push({ keys, json: JSON.stringify(value), value, file, line });
  return value;
}
