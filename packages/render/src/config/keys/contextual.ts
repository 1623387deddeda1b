import { type Excluded, FEATURE_EXCLUDED } from '../../excluded.ts';
import { isAssistantLink } from '../assistant.ts';
import { iconKeys } from '../icon.ts';
import { isObject } from '../json.ts';
import { hiddenNames, objectSchema } from '../json-schema.ts';
import { checkUnknown, defineKey, readKeys, type Type, type ValueOf, type ValuesOf } from '../key.ts';
import { memberName, memberOf, type Section, warnAt, warnItem } from '../section.ts';
import { suggestName } from '../suggest-name.ts';
import { link, list, object, oneOf, shortened, text } from '../types.ts';

/** Actions that open an assistant of another host. */
const ASSISTANTS = ['chatgpt', 'claude', 'perplexity', 'grok', 'aistudio', 'devin'];
/** Actions of a page's menu that an export can do. */
const ACTIONS = ['copy', 'view', 'download-pdf', 'download-spec', ...ASSISTANTS];
/** Actions that need the MCP server of a served site. */
const MCP = ['mcp', 'add-mcp', 'devin-mcp', 'cursor', 'vscode'];
/** The action that opens the assistant of a served site. */
const ASK = 'assistant';
/** Actions that an export cannot do: they lead to a server of the documentation, or by its URL to an application. */
const SERVED = [ASK, 'devin-desktop', ...MCP];

/** Entries of one menu. */
const MAX_OPTIONS = 50;

const linkKeys = {
  title: defineKey('Text of the entry', text),
  description: defineKey('Line below the text', text),
  ...iconKeys('Icon of the entry'),
  href: defineKey(
    'Target. `$page` in it is the URL of the page and `$path` its path',
    shortened(
      'base',
      {
        base: defineKey('Target without its query', link),
        query: defineKey(
          'Parameters that are added to the target',
          list(
            {
              key: defineKey('Name of the parameter', text),
              value: defineKey('Value of the parameter', text),
            },
            ({ key, value }) => (key === null ? null : { key, value: value ?? '' }),
          ),
        ),
      },
      ({ base, query }) => ({ base, query }),
    ),
  ),
};

interface ActionOption {
  kind: 'action';
  name: string;
}

function linkOption(values: ValuesOf<typeof linkKeys>, section: Section) {
  const { title, description, icon, href } = values;
  if (title !== null && href.base !== null) {
    return { kind: 'link' as const, title, description, icon, href: href.base, query: href.query };
  }
  warnAt(section, undefined, 'config-value', `"${section.name}" needs "title" and "href"; it was ignored.`);
  return null;
}

/** An entry of the menu of a page: a known action by its name, or a link of the site. */
export type ContextualOption = ActionOption | NonNullable<ReturnType<typeof linkOption>>;

/** The entries of a menu, without assistants where the export excludes them. */
const options: Type<ContextualOption[]> = {
  values: `list of ${ACTIONS.map((name) => `\`${name}\``).join(', ')}, and objects`,
  members: linkKeys,
  isList: true,
  schema: () => ({
    type: 'array',
    items: {
      anyOf: [{ enum: ACTIONS }, hiddenNames([...ACTIONS, ...SERVED]), objectSchema(linkKeys)],
    },
  }),
  read(section, key) {
    const written = memberOf(section, key);
    if (written === undefined) return [];
    if (!Array.isArray(written)) {
      const message = `"${memberName(section, key)}" must be a list of names or {"title", "href"}; it was ignored.`;
      warnAt(section, key, 'config-type', message);
      return [];
    }
    const items: readonly unknown[] = written.slice(0, MAX_OPTIONS);
    warnServed(section, key, items);
    const found = items.flatMap((item, index) => readOption(section, key, item, index) ?? []);
    return withoutAssistants(section, key, found, section.excluded ?? {});
  },
};

function readOption(section: Section, key: string, item: unknown, index: number): ContextualOption | null {
  if (typeof item === 'string') return readAction(section, key, item.trim());
  if (!isObject(item)) {
    warnItem(section, key, index, 'an object');
    return null;
  }
  const own = { ...section, name: `${memberName(section, key)}[${index}]`, value: item };
  checkUnknown(own, linkKeys);
  return linkOption(readKeys(linkKeys, own), own);
}

function readAction(section: Section, key: string, name: string): ActionOption | null {
  if (ACTIONS.includes(name)) return { kind: 'action', name };
  if (isServed(section, name)) return { kind: 'action', name };
  if (SERVED.includes(name)) return null;
  const near = suggestName(name, [...ACTIONS, ...SERVED]);
  const hint = near === null ? `Known actions: ${ACTIONS.join(', ')}.` : `Did you mean "${near}"?`;
  const message = `${JSON.stringify(name.slice(0, 60))} in "${memberName(section, key)}" is not an action. ${hint}`;
  warnAt(section, key, 'config-value', message);
  return null;
}

/** Whether the platform that serves the site has what an action needs. */
function isServed({ services, excluded }: Section, name: string): boolean {
  if (name === ASK) return services?.assistant === true && excluded?.assistant === undefined;
  return services?.mcp === true && MCP.includes(name);
}

function warnServed(section: Section, key: string, items: readonly unknown[]): void {
  const missing = SERVED.filter((name) => !isServed(section, name));
  const served = items.filter((item) => typeof item === 'string' && missing.includes(item.trim()));
  if (served.length === 0) return;
  const shown = served.map((name) => JSON.stringify(name)).join(', ');
  const message = `${shown} in "${memberName(section, key)}" ${served.length === 1 ? 'requires' : 'require'} a documentation server or an application, which an export does not have; removed from the menu.`;
  warnAt(section, key, 'config-no-effect', message);
}

function withoutAssistants(
  section: Section,
  key: string,
  found: ContextualOption[],
  { assistant: reason }: Excluded,
): ContextualOption[] {
  const excluded = reason === undefined ? [] : found.filter(isAssistant);
  if (excluded.length === 0) return found;
  const shown = excluded.map((option) =>
    JSON.stringify(option.kind === 'action' ? option.name : option.title),
  );
  const message = `${shown.join(', ')} in "${memberName(section, key)}" ${excluded.length === 1 ? 'opens an assistant and was' : 'open assistants and were'} removed. ${reason}`;
  warnAt(section, key, FEATURE_EXCLUDED, message);
  return found.filter((option) => !isAssistant(option));
}

const isAssistant = (option: ContextualOption): boolean =>
  option.kind === 'action' ? ASSISTANTS.includes(option.name) : isAssistantLink(option.href);

const menu = object({
  options: defineKey('Entries; the first one is the default, and an empty list removes the menu', options, {
    example: ['copy', 'view'],
  }),
  display: defineKey(
    'Place of the menu: beside the title, or in the table of contents',
    oneOf('header', 'toc'),
    { otherwise: '`header`' },
  ),
});

/** Key for the menu of pages. */
export const contextualKeys = {
  contextual: defineKey('Menu of each page', menu, {
    finish: (value, section, key) => contextualOf(value, section, key, 'header'),
  }),
};

/** `contextual` of a page; null where it is missing. `display` replaces a missing one. */
export function readContextual(section: Section, display: 'header' | 'toc') {
  if (!isObject(section.value.contextual)) return null;
  return contextualOf(menu.read(section, 'contextual'), section, 'contextual', display);
}

/** The menu with its place; null where the key is not set, so that the theme decides. */
function contextualOf(
  { options: entries, display }: ReturnType<typeof menu.read>,
  section: Section,
  key: string,
  fallback: 'header' | 'toc',
) {
  if (!isObject(memberOf(section, key))) return null;
  return { options: entries, display: display ?? fallback };
}

export type Contextual = NonNullable<ValueOf<typeof contextualKeys.contextual>>;
