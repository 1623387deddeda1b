import { api } from './api.ts';
import { components } from './components.ts';
import { content } from './content.ts';
import { definedRows } from './defined-components.ts';
import { docsJson } from './docs-json.ts';
import { fences } from './fences.ts';
import { frontMatter } from './front-matter.ts';
import { mint } from './mint.ts';
import { navigation } from './navigation.ts';
import { publication } from './publication.ts';
import type { Section } from './row.ts';

/** Every table of the conformance page, in its order. */
export const sections: readonly Section[] = [
  { title: 'docs.json', rows: docsJson },
  { title: 'navigation', rows: navigation },
  { title: 'mint.json', rows: mint },
  { title: 'front matter', rows: frontMatter },
  { title: 'components', rows: [...components, ...definedRows(components)] },
  { title: 'code fences', rows: fences },
  { title: 'content', rows: content },
  { title: 'API descriptions', rows: api },
  { title: 'publication', rows: publication },
];
