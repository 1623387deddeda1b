import { components } from '../../components/index.ts';
import { suggestSpelling } from '../../config/suggest-name.ts';

/** Elements that frameworks have a component for. */
const ELEMENTS: Readonly<Record<string, string>> = { image: 'img', video: 'video', button: 'button' };

/** What an unknown component is likely to mean, as a sentence behind a blank; else empty. */
export function suggestComponent(name: string): string {
  const element = ELEMENTS[name.toLowerCase()];
  if (element !== undefined) return ` Use \`<${element}>\`.`;
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
