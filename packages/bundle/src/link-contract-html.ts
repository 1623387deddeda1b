/** Ids that our pages have around their content, besides those that begin with `op-`. */
const notes = /^footnote-(?:mark-)?\d+$/;

/**
 * Ids of the elements of a page, in their order. Reads HTML as our renderer writes it, where `<` and `>` of texts and
 * values are escaped, in one pass whose time is proportional to the text. `isPart` knows ids that are not anchors of the
 * content.
 */
export function anchorsOfHtml(html: string, isPart: (id: string) => boolean): string[] {
  const found = new Set<string>();
  const tags = /<[a-z][^<>]{0,20000}>/gi;
  for (const [tag] of html.matchAll(tags)) {
    const id = / id="([^"]{1,1000})"/.exec(tag)?.[1];
    if (id === undefined) continue;
    const name = decode(id);
    if (!isPart(name) && !notes.test(name)) found.add(name);
  }
  return [...found];
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function decode(text: string): string {
  return text.includes('&')
    ? text.replace(/&(amp|lt|gt|quot|#39);/g, (all, name: string) => entities[name] ?? all)
    : text;
}
