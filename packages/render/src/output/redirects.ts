import { posix } from 'node:path';
import { escapeAttribute, escapeText } from '../escape.ts';
import { decodePath, outputPath } from '../nav/path.ts';
import { type HostRedirects, isCaseOnly } from '../nav/redirects.ts';
import type { Redirect } from '../site.ts';
import { type ChromeLink, resolveLink } from '../theme/links.ts';
import { publicUrl, relativeLink } from '../theme/paths.ts';
import { documentStart } from '../theme/policy.ts';
import type { Theme } from '../theme/theme.ts';
import type { Emitter } from './emitter.ts';
import { redirectsFile, rulesFiles } from './redirect-rules.ts';

/**
 * Redirects in every form that a host may want: an HTML page at each single source (works everywhere),
 * `_redirects`, maps for nginx and CloudFront, and `_offprint/redirects.json`. A page is never overwritten.
 */
export function emitRedirects(theme: Theme, redirects: HostRedirects, emitter: Emitter): void {
  for (const redirect of redirects.exact) {
    const path = redirect.source === '/' ? 'index' : redirect.source.slice(1);
    const output = outputPath(path);
    if (emitter.has(output) || isCaseOnly(redirect)) continue;
    const link = resolveLink({ ...theme, warn: () => {} }, output, redirect.destination);
    if (link !== null) emitter.derive(output, stub(link.href, canonicalOf(theme, output, link)));
  }
  const rules = belowBase(redirects, theme.basePath);
  emitter.derive('_redirects', redirectsFile(rules));
  for (const { path, content } of rulesFiles(rules)) emitter.derive(path, content);
  emitter.derive(
    '_offprint/redirects.json',
    `${JSON.stringify({ exact: redirects.exact.map(plain), patterns: redirects.patterns.map(plain) }, null, 1)}\n`,
  );
}

/** Redirects as a host sees them that serves the site below a path. */
function belowBase({ exact, patterns }: HostRedirects, base: string): HostRedirects {
  if (base === '') return { exact, patterns };
  const below = (redirect: Redirect): Redirect => {
    const { source, destination } = redirect;
    const isOwn = destination.startsWith('/') && !destination.startsWith('//');
    return {
      ...redirect,
      source: source === '/' ? base : base + source,
      destination: isOwn ? base + destination : destination,
    };
  };
  return { exact: exact.map(below), patterns: patterns.map(below) };
}

/** The page that leads from `/` to the first page of a site without an index page. */
export function homeStub(theme: Theme): string {
  const { home } = theme.siteMap;
  return stub(relativeLink('index.html', home.output), publicUrlOf(theme, home.path));
}

function stub(href: string, canonical: string | null): string {
  const target = escapeAttribute(href);
  const link = canonical === null ? '' : `<link rel="canonical" href="${escapeAttribute(canonical)}">`;
  return `<!doctype html>
<html lang="en"><head>${documentStart}<title>Redirecting</title><meta name="robots" content="noindex"><meta http-equiv="refresh" content="0; url=${target}">${link}<link rel="icon" href="data:,"><meta name="color-scheme" content="light dark"></head>
<body><p>This page has moved to <a href="${target}">${escapeText(href)}</a>.</p></body></html>
`;
}

/** Public URL of what a stub leads to, without a fragment; null where the URL of the site is not known. */
function canonicalOf(theme: Theme, output: string, { href, external }: ChromeLink): string | null {
  const { siteUrl } = theme;
  const plain = href.replace(/[?#].*$/s, '');
  if (siteUrl === null) return external ? href : null;
  // Where no page is, the link is the public URL of the destination.
  const isOwn = external && href.startsWith(`${siteUrl}/`);
  if (external && !isOwn) return href;
  const path = isOwn ? plain.slice(siteUrl.length + 1) : posix.join(posix.dirname(output), plain);
  return publicUrlOf(theme, decodePath(path).replace(/\.html$/, '') || 'index');
}

function publicUrlOf({ siteUrl }: Theme, path: string): string | null {
  return siteUrl === null ? null : publicUrl(siteUrl, path);
}

function plain({ source, destination, permanent }: Redirect): Redirect {
  return { source, destination, permanent };
}
