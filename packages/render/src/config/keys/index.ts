import { defineKey, ignoredKey, type ValuesOf } from '../key.ts';
import { warnAt } from '../section.ts';
import { any, flag } from '../types.ts';
import { apiKeys } from './api.ts';
import { chromeKeys } from './chrome.ts';
import { contextualKeys } from './contextual.ts';
import { integrationKeys } from './integrations.ts';
import { lookKeys } from './look.ts';
import { publicationKeys } from './publication.ts';
import { siteKeys } from './site.ts';

const schemaKey = {
  $schema: defineKey(
    'Schema of this file, with which editors complete and explain its keys',
    any('URL or path', { type: 'string' }),
    { example: './docs.schema.json', note: 'ignored' },
  ),
};

const otherKeys = {
  ...schemaKey,
  navigation: defineKey('Pages of the site', any('object', { $ref: '#/definitions/navigation' })),
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
  ...publicationKeys,
  ...apiKeys,
  ...integrationKeys,
  ...otherKeys,
};

/** The values of docs.json, by key. */
export type DocsValues = ValuesOf<typeof docsKeys>;
