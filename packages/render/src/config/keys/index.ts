import { defineKey, ignoredKey, type Keys, type ValuesOf } from '../key.ts';
import { warnAt } from '../section.ts';
import { any, flag, text } from '../types.ts';
import { apiKeys } from './api.ts';
import { chromeKeys } from './chrome.ts';
import { contextualKeys } from './contextual.ts';
import { integrationKeys } from './integrations.ts';
import { lookKeys } from './look.ts';
import { nodeKeys } from './navigation.ts';
import { publicationKeys } from './publication.ts';
import { siteKeys } from './site.ts';

const otherKeys = {
  $schema: defineKey('Schema of this file, with which editors complete and explain its keys', text, {
    example: './docs.schema.json',
    note: 'ignored',
  }),
  public: defineKey('Readers need no sign-in', flag, {
    noEffect: 'an export has no sign-in; `false` gets a warning',
    finish(isPublic, section, key) {
      if (isPublic !== false) return;
      const message =
        '"public" has no effect: an export has no sign-in. Pages with "groups" are excluded unless the export names the group.';
      warnAt(section, key, 'config-no-effect', message);
    },
  }),
  feedback: ignoredKey(),
  scripts: ignoredKey(),
  head: ignoredKey(),
  css: ignoredKey(),
  js: ignoredKey(),
  styles: ignoredKey(),
};

/** Every key of docs.json, with those of its objects. */
export const docsKeys = {
  ...lookKeys,
  ...chromeKeys,
  ...contextualKeys,
  ...siteKeys,
  navigation: defineKey('Pages of the site', any('object', { $ref: '#/definitions/navigation' }), {
    example: { pages: ['index'] },
  }),
  ...publicationKeys,
  ...apiKeys,
  ...integrationKeys,
  ...otherKeys,
};

/** The values of docs.json, by key. */
export type DocsValues = ValuesOf<typeof docsKeys>;

/** A part of the reference of docs.json. */
interface DocsSection {
  readonly title: string;
  /** Markdown before the table. */
  readonly about?: string;
  readonly keys: Keys;
}

const NAVIGATION = `\`languages\`, \`versions\`, \`products\`, \`tabs\`, \`dropdowns\`, \`anchors\`, \`groups\` and \`pages\` nest in any order, and can be combined on one level. \`menu\` is allowed below tabs and products. \`global\` contains links for every page of the site, or for every page of the language, version, product or tab that has it.`;

/** The parts of the reference, in their order. */
export const docsSections: readonly DocsSection[] = [
  { title: 'Appearance', keys: lookKeys },
  { title: 'Page elements', keys: { ...chromeKeys, ...contextualKeys, ...siteKeys } },
  { title: 'Navigation', about: NAVIGATION, keys: nodeKeys },
  { title: 'URLs and metadata', keys: publicationKeys },
  { title: 'API reference', keys: apiKeys },
];
