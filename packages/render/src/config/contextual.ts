import { type Excluded, FEATURE_EXCLUDED } from '../excluded.ts';
import type { Contextual, ContextualOption } from '../site.ts';
import { isAssistantLink } from './assistant.ts';
import { iconOf } from './icon.ts';
import { isObject } from './json.ts';
import {
  checkMembers,
  choice,
  href,
  isSafeHref,
  memberName,
  type Section,
  sections,
  text,
  warnAt,
} from './section.ts';
import { suggestName } from './suggest-name.ts';

/** Actions that open an assistant of another host. */
const ASSISTANTS: ReadonlySet<string> = new Set([
  'chatgpt',
  'claude',
  'perplexity',
  'grok',
  'aistudio',
  'devin',
]);

/** Actions of a page's menu that an export can do. */
const ACTIONS: ReadonlySet<string> = new Set([
  'copy',
  'view',
  'download-pdf',
  'download-spec',
  ...ASSISTANTS,
]);
/** Actions that lead to a server of the documentation, or by its URL to an application. */
const SERVED: ReadonlySet<string> = new Set([
  'assistant',
  'mcp',
  'add-mcp',
  'devin-mcp',
  'devin-desktop',
  'cursor',
  'vscode',
]);

/** Entries of one menu. */
const MAX_OPTIONS = 50;

/**
 * `contextual` of docs.json or of a page; null where it is missing. `display` replaces a missing one. Without
 * assistants where the export excludes them.
 */
export function readContextual(
  root: Section,
  display: Contextual['display'],
  excluded: Excluded,
): Contextual | null {
  const { contextual } = root.value;
  if (!isObject(contextual)) return null;
  const section = { ...root, name: 'contextual', value: contextual };
  checkMembers(section, ['options', 'display']);
  return {
    options: withoutAssistants(section, readOptions(section), excluded),
    display: choice(section, 'display', ['header', 'toc']) ?? display,
  };
}

function readOptions(section: Section): ContextualOption[] {
  const { options } = section.value;
  if (options === undefined || options === null) return [];
  if (!Array.isArray(options)) {
    const message = `"${memberName(section, 'options')}" must be a list of names or {"title", "href"}; it was ignored.`;
    warnAt(section, 'options', 'config-type', message);
    return [];
  }
  const list = options.slice(0, MAX_OPTIONS);
  const names = list.filter((item): item is string => typeof item === 'string');
  warnServed(section, names);
  const links = sections(
    { ...section, value: { options: list.filter((item) => typeof item !== 'string') } },
    'options',
  );
  const linkOf = new Map<unknown, Section>(links.map((link) => [link.value, link]));
  return list.flatMap((item: unknown) => {
    if (typeof item === 'string') return readAction(section, item.trim());
    const link = linkOf.get(item);
    return link === undefined ? [] : readLink(link);
  });
}

function withoutAssistants(
  section: Section,
  options: ContextualOption[],
  { assistant: reason }: Excluded,
): ContextualOption[] {
  const led = reason === undefined ? [] : options.filter(isAssistant);
  if (led.length === 0) return options;
  const shown = led.map((option) => JSON.stringify(option.kind === 'action' ? option.name : option.title));
  const message = `${shown.join(', ')} in "${memberName(section, 'options')}" ${led.length === 1 ? 'opens an assistant and was' : 'open assistants and were'} removed. ${reason}`;
  warnAt(section, 'options', FEATURE_EXCLUDED, message);
  return options.filter((option) => !isAssistant(option));
}

const isAssistant = (option: ContextualOption): boolean =>
  option.kind === 'action' ? ASSISTANTS.has(option.name) : isAssistantLink(option.href);

function warnServed(section: Section, names: readonly string[]): void {
  const served = names.filter((name) => SERVED.has(name.trim()));
  if (served.length === 0) return;
  const shown = served.map((name) => JSON.stringify(name)).join(', ');
  const message = `${shown} in "${memberName(section, 'options')}" ${served.length === 1 ? 'requires' : 'require'} a documentation server or an application, which an export does not have; removed from the menu.`;
  warnAt(section, 'options', 'config-no-effect', message);
}

function readAction(section: Section, name: string): ContextualOption[] {
  if (ACTIONS.has(name)) return [{ kind: 'action', name }];
  if (SERVED.has(name)) return [];
  const near = suggestName(name, [...ACTIONS, ...SERVED]);
  const hint = near === null ? `Known actions: ${[...ACTIONS].join(', ')}.` : `Did you mean "${near}"?`;
  const message = `${JSON.stringify(name.slice(0, 60))} in "${memberName(section, 'options')}" is not an action. ${hint}`;
  warnAt(section, 'options', 'config-value', message);
  return [];
}

function readLink(link: Section): ContextualOption[] {
  checkMembers(link, ['title', 'description', 'icon', 'iconType', 'href']);
  const title = text(link, 'title');
  const target = isObject(link.value.href) ? readTarget(link) : { href: href(link, 'href'), query: [] };
  if (title === null || target.href === null) {
    warnAt(link, undefined, 'config-value', `"${link.name}" needs "title" and "href"; it was ignored.`);
    return [];
  }
  return [
    {
      kind: 'link',
      title,
      description: text(link, 'description'),
      icon: iconOf(link),
      href: target.href,
      query: target.query,
    },
  ];
}

function readTarget(link: Section): { href: string | null; query: { key: string; value: string }[] } {
  const written = isObject(link.value.href) ? link.value.href : {};
  const target: Section = { ...link, name: memberName(link, 'href'), value: written };
  const base = text(target, 'base');
  if (base !== null && !isSafeHref(base)) return { href: href(target, 'base'), query: [] };
  const query = sections(target, 'query').flatMap((pair) => {
    const key = text(pair, 'key');
    return key === null ? [] : [{ key, value: text(pair, 'value') ?? '' }];
  });
  return { href: base, query };
}
