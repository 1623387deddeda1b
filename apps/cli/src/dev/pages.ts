/** HTML that the preview adds to pages or shows in their place; none of it is part of an export. */
import { createHash } from 'node:crypto';
import type { Warning } from '@offprint/render';

/** Below the folder that exports keep for themselves, so no page or file of a site can be here. */
export const PREVIEW_PATH = '/_offprint/preview/';

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/**
 * A page with the script of the preview in front of all others; `page` is null for what stands for no page of the
 * site. By the digests the script sees what an update changed.
 */
export function withPreviewScript(
  html: string,
  page: { output: string; navigation: string | null } | null,
  editor: string | null,
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
  const script = `<script src="${PREVIEW_PATH}client.js" data-preview="${digestOf(html + navigation)}" data-scripts="${scripts}"${output}${link}></script>`;
  return html.replace(/<head(?:\s[^>]*)?>/i, (head) => `${head}<meta charset="utf-8">${script}`);
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** What is shown while the source cannot be opened and never could. The script loads the site once it can. */
export function faultPage(fault: Warning): string {
  const place = `${fault.file}${fault.line === null ? '' : `:${fault.line}`}`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>The site cannot be shown - Offprint preview</title><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,"><link rel="stylesheet" href="${PREVIEW_PATH}page.css"></head>
<body><main><p class="where">${escapeHtml(place)}</p><h1>The site cannot be shown</h1><p>${escapeHtml(fault.message)}</p><p class="hint">This page shows the site as soon as the file is saved without the fault. Code: <code>${escapeHtml(fault.code)}</code></p></main></body></html>
`;
}

/** A page's address from its output path. */
export function addressOf(output: string): string {
  const path = output === 'index.html' ? '' : output.replace(/\.html$/, '');
  return `/${path.split('/').map(encodeURIComponent).join('/')}`;
}
