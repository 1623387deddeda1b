/**
 * Style sheets of the format may name components as if they were elements (`accordion { … }`); in the pages they are
 * classes.
 */
const PLAIN =
  'accordion callout card color columns directory eyebrow expandable field frame icon mermaid panel prompt step steps tabs tile toc tooltip tree update';
const FAMILIES =
  'accordion advanced api breadcrumb card code color directory login logout mdx method mobile-nav multi-view nav navbar not-found option pagination sidebar tab toc topbar tree tryit';

const HOOK = new RegExp(
  `(?<![\\w.#:=-])(?:(?:${FAMILIES.replaceAll(' ', '|')})-[a-z-]+|${PLAIN.replaceAll(' ', '|')})(?![\\w-])`,
  'g',
);
/** Each language of the menu has an id that starts with this one: an id names one element. */
const LANGUAGE = /#localization-select-item(?![\w-])/g;
/** Parts of a selector that cannot contain the name of an element. */
const OPAQUE = /(\[[^\]]*\]|"[^"]*"|'[^']*'|\/\*[\s\S]*?\*\/)/;

/** Longer lists of selectors are not handwritten, and would take a disproportionate time. */
const MAX_LENGTH = 5000;

/** Selectors in which each name of a component stands for its class too, and the id of a language for that of each. */
export function withHooks(selectors: string): string {
  if (selectors.length > MAX_LENGTH || (selectors.search(HOOK) === -1 && selectors.search(LANGUAGE) === -1))
    return selectors;
  return selectors
    .split(OPAQUE)
    .map((part, index) => (index % 2 === 1 ? part : writtenAs(part)))
    .join('');
}

const writtenAs = (part: string): string =>
  part.replace(HOOK, ':is($&,.$&)').replace(LANGUAGE, '[id|=localization-select-item]');
