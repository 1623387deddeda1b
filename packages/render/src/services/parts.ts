import { readFileSync } from 'node:fs';
import { assetPath } from '../assets.ts';
import { minifyCss } from '../theme/css.ts';
import { hashOf } from '../theme/hash.ts';
import { shorten, withoutComments } from '../theme/scripts.ts';
import type { Strings } from '../theme/strings.ts';
import { LANGUAGES, stringsFor } from '../theme/words/index.ts';
import { type ServiceName, type Services, serviceNames } from './services.ts';

/** What a service adds to the pages of a site: names of files in `client/`. */
interface ServiceParts {
  /** Script that every page loads after everything else. */
  script?: string;
  /** Rules that are added to the style sheet of the site. */
  style?: string;
  /** Constants that the script knows. */
  data?(): string;
  /** Files that the script loads when it needs them. */
  lazy?(): ServiceScript[];
}

const parts: Readonly<Record<ServiceName, ServiceParts>> = {
  analytics: { script: 'events.js', style: 'feedback.css' },
  assistant: { script: 'assistant.js', style: 'assistant.css', data: assistantData, lazy: assistantFiles },
  // entries in the menu of pages only
  mcp: {},
};

interface ServiceScript {
  path: string;
  content(): string;
}

/** The scripts that pages load for their services, in the order of the names. */
export function serviceScripts(services: Services): ServiceScript[] {
  return enabled(services).flatMap(({ script, data }) => {
    if (script === undefined) return [];
    const full = fullServiceScript(script, data);
    const path = `_offprint/service-${script.replace(/\.js$/, '')}-${hashOf(full)}.js`;
    return [{ path, content: () => shorten(script, full) }];
  });
}

/** Files that scripts of the services load when they are used. */
export function lazyServiceFiles(services: Services): ServiceScript[] {
  return enabled(services).flatMap(({ lazy }) => lazy?.() ?? []);
}

/** Rules of the services for the style sheet of the site; empty without a service. */
export function serviceStyles(services: Services): string {
  return enabled(services)
    .map(({ style }) => (style === undefined ? '' : minifyCss(read(style))))
    .join('');
}

/** Each script in its full form, by name: the build stores the short one. */
export function fullServiceScripts(): Record<string, string> {
  const scripts = serviceNames.flatMap((name): [string, string][] => {
    const { script, data } = parts[name];
    return script === undefined ? [] : [[script, fullServiceScript(script, data)]];
  });
  return { ...Object.fromEntries(scripts), [PANEL]: fullPanel() };
}

const PANEL = 'assistant-panel.js';

/** Words of the panel, by their names in it. */
const PANEL_WORDS = {
  title: 'assistant',
  ask: 'assistantAsk',
  send: 'assistantSend',
  stop: 'assistantStop',
  retry: 'assistantRetry',
  new: 'assistantNew',
  sources: 'assistantSources',
  searching: 'assistantSearching',
  good: 'assistantGood',
  bad: 'assistantBad',
  selected: 'assistantSelected',
  failed: 'assistantFailed',
  contact: 'assistantContact',
  close: 'close',
  copy: 'copyPage',
  copyCode: 'copyCode',
  copied: 'copied',
  copyFailed: 'copyFailed',
} as const satisfies Record<string, keyof Strings>;

const languages = (): string[] => ['en', ...LANGUAGES];

function fullPanel(): string {
  const words = languages().map((language) => {
    const strings = stringsFor(language);
    const own = Object.entries(PANEL_WORDS).map(([name, key]) => [name, strings[key]]);
    return [language, Object.fromEntries(own)];
  });
  return fullServiceScript(
    PANEL,
    () => `const offprintWords = ${JSON.stringify(Object.fromEntries(words))};\n`,
  );
}

function assistantFiles(): ServiceScript[] {
  const full = fullPanel();
  const sheet = minifyCss(read('assistant-panel.css'));
  return [
    { path: `_offprint/assistant-panel-${hashOf(full)}.js`, content: () => shorten(PANEL, full) },
    { path: `_offprint/assistant-panel-${hashOf(sheet)}.css`, content: () => sheet },
  ];
}

function assistantData(): string {
  const [script, sheet] = assistantFiles().map(({ path }) => path.replace('_offprint/', ''));
  const names = Object.fromEntries(
    languages().map((language) => [language, stringsFor(language).assistantAsk]),
  );
  return `const offprintPanel = ${JSON.stringify({ script, sheet, names })};\n`;
}

const enabled = (services: Services): ServiceParts[] =>
  serviceNames.filter((name) => services[name]).map((name) => parts[name]);

const fullServiceScript = (name: string, data?: () => string): string =>
  `(() => {\n${data?.() ?? ''}${withoutComments(read(name))}})();\n`;

const read = (name: string): string =>
  readFileSync(assetPath(`packages/render/src/services/client/${name}`), 'utf8');
