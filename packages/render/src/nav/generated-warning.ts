import { endpointOf, type SiteMap } from '../site.ts';
import type { Warning } from '../warning.ts';

/** A warning about a page without a file is about the description from which the page was generated. */
export function inDescription<T extends Warning>(warning: T, { byPath }: Pick<SiteMap, 'byPath'>): T {
  const page = byPath.get(warning.file);
  const endpoint = page === undefined || page.source !== null ? null : endpointOf(page);
  if (endpoint === null || endpoint.spec === null) return warning;
  const name = `${endpoint.method} ${endpoint.path}`.slice(0, 200);
  return {
    ...warning,
    file: endpoint.spec,
    line: null,
    message: `${warning.message} It is in the page of ${name}.`,
  };
}
