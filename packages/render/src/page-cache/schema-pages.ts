/** Pages of schemas exist once a page refers to them, so pages that are not rendered make theirs again. */
import { isObject } from '../config/json.ts';
import type { OpenSite } from '../open-site.ts';
import type { At, Resolver } from '../reference/resolver.ts';
import type { Page, SchemaPage } from '../site.ts';
import type { PageNumbers } from './page-numbers.ts';
import { StaleRenderError } from './stale-render.ts';
import type { KnownSchema, State } from './state.ts';

export function createSchemas(
  site: Pick<OpenSite, 'siteMap' | 'addSchemaPage'>,
  numbers: PageNumbers,
  earlier: Pick<State, 'schemas' | 'pointers'> | null,
  /** Whether a file belongs to a description that has changed. */
  isChanged: (file: string) => boolean,
) {
  const all: KnownSchema[] = [];
  const { resolver } = site.siteMap.descriptions.schemas;
  const byPage = new Map<number, { schema: KnownSchema; pointer: string }[]>();
  for (const [at, schema] of (earlier?.schemas ?? []).entries()) {
    const known = byPage.get(schema.from) ?? [];
    known.push({ schema, pointer: earlier?.pointers[at] ?? '' });
    byPage.set(schema.from, known);
  }
  const note = (from: number): void => {
    for (const { page, file, name } of numbers.schemas().slice(all.length))
      all.push({ from, path: page.path, file, name });
  };
  return {
    /** Those so far. */
    all,
    /** Takes those that the page with that number has made. */
    note,
    /** Makes those that a page has made in the earlier render. */
    repeat(number: number, page: Page): void {
      for (const { schema, pointer } of byPage.get(number) ?? []) {
        const { path, file, name } = schema;
        const found = { file, name, schema: () => schemaAt(resolver, pointer, schema) };
        if (site.addSchemaPage(found, page) !== path) throw new StaleRenderError();
      }
      note(number);
    },
    /** What links lead to depends on them, so pages are only the same if all of these are. */
    end(): void {
      if (earlier !== null && JSON.stringify(all) !== JSON.stringify(earlier.schemas))
        throw new StaleRenderError();
    },
    /** Where each schema is in its file; null if one of them is not in a file as it was shown. */
    pointers(): string[] | null {
      const before = ({ file }: SchemaPage, at: number): string | undefined =>
        isChanged(file) ? undefined : earlier?.pointers[at];
      const wanted = numbers.schemas().map((page, at) => {
        const pointer = before(page, at);
        return { file: page.file, pointer, value: pointer === undefined ? page.schema()?.value : undefined };
      });
      const found = new Map<unknown, string>();
      const open = wanted.filter(({ pointer }) => pointer === undefined);
      for (const file of new Set(open.map((each) => each.file))) {
        const values = new Set(open.flatMap((each) => (each.file === file ? [each.value] : [])));
        for (const [value, pointer] of findValues(resolver, file, values)) found.set(value, pointer);
      }
      const pointers = wanted.flatMap(({ pointer, value }) => pointer ?? found.get(value) ?? []);
      return pointers.length === wanted.length ? pointers : null;
    },
  };
}

function schemaAt(resolver: Resolver, pointer: string, { file, name }: KnownSchema): At | null {
  const target = resolver.resolve({ value: { $ref: pointer }, file, name: null });
  return target === null ? null : { ...target, name };
}

/** Looks for values in a file, by identity; with a reference to each that is there. */
function findValues(resolver: Resolver, file: string, values: ReadonlySet<unknown>): Map<unknown, string> {
  const found = new Map<unknown, string>();
  const seen = new Set<object>();
  const root = resolver.resolve({ value: { $ref: '#' }, file, name: null })?.value;
  const open: { value: unknown; pointer: string }[] = [{ value: root, pointer: '#' }];
  for (let next = open.pop(); next !== undefined && found.size < values.size; next = open.pop()) {
    const { value, pointer } = next;
    if (!(isObject(value) || Array.isArray(value)) || seen.has(value)) continue;
    seen.add(value);
    if (values.has(value)) found.set(value, pointer);
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner !== 'object') continue;
      const segment = encodeURIComponent(key.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1'));
      open.push({ value: inner, pointer: `${pointer}/${segment}` });
    }
  }
  return found;
}
