/** Marks of the words on a page that a result led to; they change nothing in the page itself. */
import { findHits } from '@offprint/search/hits';

const NAME = 'offprint-search';
const MAX_MARKS = 300;

/** Marks the words until Escape. Browsers without custom highlights show none. */
export function highlight(terms) {
  if (!CSS.highlights) return;
  const wanted = new Set(terms);
  const ranges = [];
  const content = document.getElementById('content-area') ?? document.body;
  const walker = document.createTreeWalker(content, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && ranges.length < MAX_MARKS; node = walker.nextNode()) {
    for (const { start, end } of findHits(node.data, wanted)) {
      const range = new Range();
      range.setStart(node, start);
      range.setEnd(node, end);
      ranges.push(range);
    }
  }
  CSS.highlights.set(NAME, new Highlight(...ranges));
  const end = (event) => {
    if (event.key !== 'Escape') return;
    CSS.highlights.delete(NAME);
    removeEventListener('keydown', end);
  };
  addEventListener('keydown', end);
}
