/** What a model receives for a question to the assistant of a site, and whether it contains what the question is about. */
import { assistantMessageBody } from '@offprint/contract';
import { createSearchCache } from '@offprint/search';
import { readConversation } from '../../apps/server/src/assistant/conversation.ts';
import { pathOf, questionMessage } from '../../apps/server/src/assistant/prompt.ts';
import { createReleaseKnowledge, MAX_SECTION } from '../../apps/server/src/assistant/release-knowledge.ts';
import type { Query, WantedSection } from './queries.ts';
import type { Files } from './site.ts';

export interface Input {
  query: Query;
  /** A section that the question was made of is in the input: all of it, or as much as one section may have. */
  hasSection: boolean;
  /** A section of a wanted page is. */
  hasPage: boolean;
  characters: number;
}

const CACHE_BYTES = 64 * 1024 * 1024;
/** Share of what one section may have that an excerpt of a longer one has at least. */
const EXCERPT = 0.9;

/** Asks the questions that know their section, as the API does it with a release of these files. */
export async function readInputs(files: Files, queries: readonly Query[]): Promise<Input[]> {
  const cache = createSearchCache(CACHE_BYTES);
  const read = async (path: string) => files.get(path) ?? null;
  const source = { key: 'site', projectId: '', read, find: () => ({ kind: 'missing' as const }) };
  const open = createReleaseKnowledge({
    openServed: async () => source,
    openRelease: async () => source,
    searchIn: (_, request) => cache.search(source.key, read, request),
  });
  const site = { host: 'docs.example.com', organizationId: '', projectId: '', site: 'production' as const };
  const served = { ...site, basePath: '', siteId: '', deploymentId: '', exportId: null, bundle: null };
  const knowledge = await open(served, { groups: [], bundle: null });
  const inputs: Input[] = [];
  for (const query of queries.filter(({ sections }) => sections.length > 0)) {
    const parts = [{ type: 'text', text: query.text }];
    const body = assistantMessageBody.parse({ fp: 'anonymous', messages: [{ role: 'user', parts }] });
    const { question, query: words } = readConversation(body);
    const results = await knowledge.search(words, body.retrievalPageSize);
    const input = questionMessage({ question, context: [], currentPath: null, results, mark: 'bench' });
    const paths = new Set(results.map(({ path }) => path));
    inputs.push({
      query,
      hasSection: query.sections.some((section) => contains(input, section)),
      hasPage: query.sections.some(({ page }) => paths.has(pagePath(page.output))),
      characters: input.length,
    });
  }
  return inputs;
}

const pagePath = (output: string): string => output.replace(/\.html$/, '').replace(/\/index$/, '');

function contains(input: string, { page, anchor, heading, text }: WantedSection): boolean {
  const path = pathOf({ path: pagePath(page.output), anchor: anchor === '' ? null : anchor });
  const head = `Path: ${path}\nPage: ${page.title}\n${heading === '' ? '' : `${heading}\n`}`;
  const start = input.indexOf(head);
  if (start < 0) return false;
  const rest = input.slice(start + head.length);
  if (text.length <= MAX_SECTION) return rest.startsWith(text);
  const end = rest.search(/\n\n---\n\nPath: |\n<\/search-results-/);
  return rest.slice(0, end).length >= EXCERPT * MAX_SECTION;
}
