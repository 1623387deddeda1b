import { CODE_SPAN, codeOf, MAX_INLINE_LENGTH } from '../code-span.ts';
import { decodeEntities } from '../entities.ts';
import { escapeAttribute, escapeText } from '../escape.ts';

/** Where a link of the chrome leads from a page; null when its scheme is refused. */
export type LinkTo = (href: string) => { href: string; external: boolean } | null;

/** Text without any of these is what most titles are. */
const MARKS = /[`*_[&<]/;
const OTHER =
  /\*\*(?=\S)([^*]+)\*\*|__(?=\S)([^_]+)__|\*(?=\S)([^*]+)\*|(?<![\w_])_(?=\S)([^_]+)_(?![\w_])|!?\[([^\]]*)\]\(([^\s)]+)[^)]*\)|<br ?\/?>/;
const PATTERN = new RegExp(`${CODE_SPAN.source}|${OTHER.source}`, 'gis');

/**
 * HTML of a line of inline Markdown in titles, descriptions and banners: code, strong, emphasis, links, character
 * references (`&nbsp;`) and line breaks (`<br>`). Everything else is text. Without `link`, links keep their label only.
 */
export function inlineHtml(markdown: string, link?: LinkTo): string {
  if (!MARKS.test(markdown)) return escapeText(markdown);
  if (markdown.length > MAX_INLINE_LENGTH) return escapeText(decodeEntities(markdown));
  let html = '';
  let done = 0;
  for (const match of markdown.matchAll(PATTERN)) {
    html += escapeText(decodeEntities(markdown.slice(done, match.index)));
    html += fragment(match, link);
    done = match.index + match[0].length;
  }
  return html + escapeText(decodeEntities(markdown.slice(done)));
}

function fragment(match: RegExpMatchArray, link: LinkTo | undefined): string {
  const [, , code, strong, strongToo, emphasis, emphasisToo, label, href] = match;
  if (code !== undefined) return `<code>${escapeText(codeOf(code))}</code>`;
  const bold = strong ?? strongToo;
  if (bold !== undefined) return `<strong>${inlineHtml(bold, link)}</strong>`;
  const italic = emphasis ?? emphasisToo;
  if (italic !== undefined) return `<em>${inlineHtml(italic, link)}</em>`;
  if (label === undefined) return '<br>';
  const inner = inlineHtml(label);
  const target = link?.(decodeEntities(href ?? '')) ?? null;
  if (target === null) return inner;
  return `<a href="${escapeAttribute(target.href)}"${target.external ? ' rel="noopener"' : ''}>${inner}</a>`;
}

/** The same line without its marks, for `<title>`, meta tags and feeds. */
export function inlineText(markdown: string): string {
  if (!MARKS.test(markdown)) return markdown;
  if (markdown.length > MAX_INLINE_LENGTH) return decodeEntities(markdown);
  let text = '';
  let done = 0;
  for (const match of markdown.matchAll(PATTERN)) {
    const [, , code, strong, strongToo, emphasis, emphasisToo, label] = match;
    text += decodeEntities(markdown.slice(done, match.index));
    text +=
      code === undefined
        ? inlineText(strong ?? strongToo ?? emphasis ?? emphasisToo ?? label ?? ' ')
        : codeOf(code);
    done = match.index + match[0].length;
  }
  return text + decodeEntities(markdown.slice(done));
}
