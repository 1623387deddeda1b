import { components } from '../../components/index.ts';
import { suggestSpelling } from '../../config/suggest-name.ts';

/** What shows the same here as components of other frameworks, by their names in lower case. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ...each('img', 'image'),
  ...each('video', 'video'),
  ...each('button', 'button'),
  ...each('iframe src="https://www.youtube.com/embed/…"', 'youtube', 'youtubevideo', 'youtubeembed'),
  ...each('Tab title="…"', 'tabitem', 'tabs.tab', 'tabs.item', 'tabpanel', 'tabs.panel', 'tabs.content'),
  ...each('CodeGroup', 'codetabs', 'codeblocks', 'codeblocktabs'),
  ...each('Accordion title="…"', 'collapsible', 'collapse', 'details', 'toggle', 'expander', 'faqitem'),
  ...each('AccordionGroup', 'accordions', 'faq'),
  ...each('Card title="…" href="…"', 'linkcard', 'cardlink', 'cards.card', 'doccard'),
  ...each('CardGroup', 'cards', 'cardgrid', 'grid', 'doccardlist'),
  ...each('Steps', 'procedure', 'stepper', 'stepgroup'),
  ...each('Note', 'admonition', 'alert', 'aside', 'hint'),
  ...each('Warning', 'caution', 'important'),
  ...each('Check', 'success'),
  ...each('Danger', 'error'),
  ...each('Badge', 'tag', 'label', 'pill', 'chip'),
]);

function each(tag: string, ...names: string[]): [string, string][] {
  return names.map((name) => [name, tag]);
}

/** What an unknown component is likely to mean, as a sentence behind a blank; else empty. */
export function suggestComponent(name: string): string {
  const tag = ELSEWHERE.get(name.toLowerCase());
  if (tag !== undefined) return ` Use \`<${tag}>\`.`;
  const near = suggestSpelling(name, Object.keys(components));
  return near === null ? '' : ` Did you mean \`<${near}>\`?`;
}

/** What to write instead of an unknown element: names of components start with a capital letter. */
export function suggestElement(name: string): string {
  const component = Object.keys(components).find((one) => one.toLowerCase() === name.toLowerCase());
  return component === undefined
    ? ' Use another element, such as `<div>`.'
    : ` Did you mean \`<${component}>\`?`;
}
