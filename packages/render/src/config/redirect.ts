import type { Redirect } from '../site.ts';
import { copyPlace } from './place.ts';
import { flag, href, memberName, type Section, sections, text, warnAt } from './section.ts';

/**
 * `redirects`: sources with a leading slash and without one at the end, each source once (the first counts),
 * without `#` and `?`.
 */
export function readRedirects(root: Section): Redirect[] {
  const found: Redirect[] = [];
  const seen = new Set<string>();
  for (const item of sections(root, 'redirects')) {
    const redirect = readRedirect(item);
    if (redirect === null) continue;
    if (seen.has(redirect.source)) {
      const message = `${memberName(item, 'source')}: ${JSON.stringify(redirect.source)} is redirected twice; the first entry is used.`;
      warnAt(item, 'source', 'redirect-duplicate', message);
      continue;
    }
    seen.add(redirect.source);
    found.push(redirect);
  }
  return found;
}

function readRedirect(item: Section): Redirect | null {
  const source = text(item, 'source');
  const destination = href(item, 'destination');
  if (source === null || destination === null) {
    warnAt(
      item,
      undefined,
      'redirect-invalid',
      `"${item.name}" needs "source" and "destination"; it was ignored.`,
    );
    return null;
  }
  if (/[#?\\\0-\x1f]/.test(source) || /^[a-z][a-z0-9+.-]*:\/\//i.test(source)) {
    const message = `"${item.name}": the source must be a path without a host, "#" or "?"; it was ignored.`;
    warnAt(item, 'source', 'redirect-invalid', message);
    return null;
  }
  const permanent = flag(item, 'permanent') ?? true;
  return copyPlace(item.value, { source: sourcePath(source), destination, permanent });
}

function sourcePath(source: string): string {
  const segments = source.split('/').filter((segment) => segment !== '');
  return `/${segments.join('/')}`;
}
