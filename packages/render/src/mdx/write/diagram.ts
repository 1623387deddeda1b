import { renderCode } from '../../code/index.ts';
import { type Attributes, attributesOf } from '../../components/markup.ts';
import { diagramAsset } from '../../diagrams/asset.ts';
import { escapeAttribute } from '../../escape.ts';
import type { Writer } from './writer.ts';

/** Longer ones are refused by the library as well. */
const maxLength = 50_000;
/** A transparent pixel that replaces an image that must not load. */
const noImage = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';
const placements = new Set(['top-left', 'top-right', 'bottom-left', 'bottom-right']);

export function isDiagram(lang: string | null): boolean {
  return lang !== null && /^mermaid$/i.test(lang);
}

/** A diagram: its source as a code block, which a script of the page replaces by the drawing. */
export function writeDiagram(source: string, meta: string | null, writer: Writer, root: Attributes): string {
  const { strings } = writer;
  const options = readOptions(meta);
  const isShown = source.trim() !== '' && source.length <= maxLength;
  const block = renderCode(source, 'mermaid', null, { strings, ...(isShown ? {} : { attributes: root }) });
  if (!isShown) return block;
  writer.use(diagramAsset());
  const drawn = withPageUrls(source, writer);
  writer.site.onDiagram?.({ file: writer.file, line: writer.line, text: drawn });
  const words = JSON.stringify({
    zoomIn: strings.zoomIn,
    zoomOut: strings.zoomOut,
    resetView: strings.resetView,
  });
  const attributes = [
    options.actions === null ? '' : ` data-actions="${options.actions}"`,
    ` data-placement="${options.placement}"`,
    ` data-label="${escapeAttribute(titleOf(source) ?? strings.diagram)}"`,
    ` data-words="${escapeAttribute(words)}"`,
    drawn === source ? '' : ` data-source="${escapeAttribute(drawn)}"`,
  ].join('');
  return `<figure${attributesOf(root)} class="mermaid op-diagram"${attributes}>${block}</figure>`;
}

function readOptions(meta: string | null): { actions: boolean | null; placement: string } {
  const text = meta ?? '';
  const placement = /\bplacement=\{?["']?([a-z-]+)/.exec(text)?.[1] ?? '';
  const actions = /\bactions(?:=\{?["']?(true|false)|(?=\s|$))/.exec(text);
  return {
    actions: actions === null ? null : actions[1] !== 'false',
    placement: placements.has(placement) ? placement : 'bottom-right',
  };
}

/** What the diagram calls itself. */
function titleOf(source: string): string | null {
  const title = /^[ \t]*(?:accTitle[ \t]*:|title[ \t]*:|title[ \t])[ \t]*(.{1,200})$/m
    .exec(source)?.[1]
    ?.trim();
  return title === undefined || title === '' ? null : title.replace(/^["']|["']$/g, '');
}

/** Rewrites the links and images of a diagram for this page. */
function withPageUrls(source: string, writer: Writer): string {
  let text = source;
  if (text.includes('click'))
    text = text.replace(
      /^([ \t]*click[ \t]+[^\s"]{1,200}[ \t]+(?:href[ \t]+)?")([^"\n]{1,2000})"/gm,
      (_, head: string, href: string) => `${head}${writer.link(href)?.href ?? '#'}"`,
    );
  if (text.includes('img'))
    text = text.replace(
      /(\bimg[ \t]*:[ \t]*)(["'])([^"'\n]{1,2000})\2/g,
      (_, head: string, quote: string, src: string) =>
        `${head}${quote}${(writer.asset(src) ?? noImage).replace(/["']/g, encodeURIComponent)}${quote}`,
    );
  if (text.includes('<img'))
    text = text.replace(/<img\b([^<>]{0,2000})>/gi, (_, attributes: string) => {
      const src = /\bsrc\s*=\s*["']?([^"'\s>]+)/i.exec(attributes)?.[1];
      const address = src === undefined ? null : writer.asset(src);
      const alt = textOfImage(attributes);
      if (address === null) return alt === '' ? ' ' : alt;
      return `<img src='${address.replace(/["']/g, encodeURIComponent)}' alt='${alt}'>`;
    });
  return text;
}

/** Alternative text of an image, without the characters that mean something in a diagram. */
function textOfImage(attributes: string): string {
  const alt = /\balt\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(attributes);
  const text = (alt?.[1] ?? alt?.[2] ?? '').replace(/[^\p{L}\p{M}\p{N}.,]+/gu, ' ').trim();
  // A node that says only this ends a part of the diagram.
  return /^end$/i.test(text) ? '' : text;
}
