/** HTML that the preview adds to pages or shows instead of them; it is not part of exports. */
import { createHash } from 'node:crypto';
import type { Warning } from '@offprint/render';

/** In a folder that is reserved in exports, so that it cannot conflict with pages or files of a site. */
export const PREVIEW_PATH = '/_offprint/preview/';

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/**
 * Adds the script of the preview before all other scripts; `page` is null if the HTML is not a page of the site. The
 * script compares the digests to detect what an update changed.
 */
export function withPreviewScript(
  html: string,
  page: { output: string; navigation: string | null } | null,
  editor: string | null,
  generation: number,
): string {
  const navigation = digestOf(page?.navigation ?? '');
  const output =
    page === null
      ? ''
      : ` data-output="${escapeHtml(encodeURIComponent(page.output))}" data-navigation="${navigation}"`;
  const scripts = digestOf(
    (html.slice(0, html.indexOf('</head>')).match(/<script [^>]*src=[^>]*>/g) ?? []).join(''),
  );
  const link = editor === null ? '' : ` data-editor="${escapeHtml(editor)}"`;
  const script = `<script src="${PREVIEW_PATH}client.js" data-preview="${digestOf(html + navigation)}" data-scripts="${scripts}" data-generation="${generation}"${output}${link}></script>`;
  return html.replace(/<head(?:\s[^>]*)?>/i, (head) => `${head}<meta charset="utf-8">${script}`);
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** The page shown while the source has never been opened. Its script loads the site when it can be opened. */
export function errorPage(error: Warning): string {
  const place = `${error.file}${error.line === null ? '' : `:${error.line}`}`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>The site cannot be shown - Offprint preview</title><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,"><link rel="stylesheet" href="${PREVIEW_PATH}page.css"></head>
<body><main><p class="where">${escapeHtml(place)}</p><h1>The site cannot be shown</h1><p>${escapeHtml(error.message)}</p><p class="hint">This page shows the site as soon as you fix the error and save the file. Code: <code>${escapeHtml(error.code)}</code></p></main></body></html>
`;
}

/** The URL path of a page from its output path. */
export function pathOf(output: string): string {
  const path = output === 'index.html' ? '' : output.replace(/\.html$/, '');
  return `/${path.split('/').map(encodeURIComponent).join('/')}`;
}
