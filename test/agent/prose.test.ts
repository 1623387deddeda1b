/**
 * Prose of real pages, as a replacement over many files takes it, against the syntax tree of a parser that is not ours.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { frontmatterFromMarkdown } from 'mdast-util-frontmatter';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { mdxFromMarkdown } from 'mdast-util-mdx';
import { frontmatter } from 'micromark-extension-frontmatter';
import { gfm } from 'micromark-extension-gfm';
import { mdxjs } from 'micromark-extension-mdxjs';
import { describe, expect, test } from 'vitest';
import { proseSpans } from '../../apps/server/src/agent/edit/mdx-scope.ts';
import { corpora, corporaFolder, NO_CORPORA } from '../support/corpora.ts';

/** One page in `EVERY` is parsed. */
const EVERY = 5;

const CODE = new Set(['code', 'inlineCode', 'mdxjsEsm', 'mdxFlowExpression', 'mdxTextExpression']);

interface Node {
  type: string;
  position?: { start: { offset?: number | undefined }; end: { offset?: number | undefined } } | undefined;
  children?: Node[];
}

/** Null for a page that is not valid MDX. */
function treeOfPage(text: string): Node | null {
  try {
    return fromMarkdown(text, {
      extensions: [mdxjs(), gfm(), frontmatter()],
      mdastExtensions: [mdxFromMarkdown(), gfmFromMarkdown(), frontmatterFromMarkdown()],
    });
  } catch {
    return null;
  }
}

function nodesOf(node: Node): Node[] {
  return [node, ...(node.children ?? []).flatMap(nodesOf)];
}

function* pages(): Generator<{ file: string; text: string }> {
  let count = 0;
  for (const { folder } of corpora()) {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.mdx'))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
    for (const file of entries) {
      if (count++ % EVERY === 0) yield { file, text: readFileSync(file, 'utf8') };
    }
  }
}

interface Counts {
  code: number;
  letters: number;
  left: number;
}

/** Counts letters that are read, those that are taken for code, and names code that is taken for prose. */
function compare(text: string, tree: Node, counts: Counts): string[] {
  const isProse = new Uint8Array(text.length);
  for (const { start, end } of proseSpans(text)) isProse.fill(1, start, end);
  const faults: string[] = [];
  for (const { type, position } of nodesOf(tree)) {
    const start = position?.start.offset ?? 0;
    const offsets = Array.from({ length: (position?.end.offset ?? 0) - start }, (_, at) => start + at);
    if (CODE.has(type)) {
      counts.code += 1;
      const leaks = offsets.some((at) => isProse[at] === 1 && /\S/.test(text[at]!));
      if (leaks) faults.push(`${type}: ${JSON.stringify(text.slice(start, start + 80))}`);
    } else if (type === 'text') {
      const letters = offsets.filter((at) => /\p{L}/u.test(text[at]!));
      counts.letters += letters.length;
      counts.left += letters.filter((at) => isProse[at] === 0).length;
    }
  }
  return faults;
}

const folder = corporaFolder();

describe.skipIf(folder === null)(`prose of real pages${folder === null ? ` (${NO_CORPORA})` : ''}`, () => {
  test('no character of code is prose, and of what is read next to nothing but addresses is left out', () => {
    const counts = { pages: 0, unparsed: 0, code: 0, letters: 0, left: 0 };
    const faults: string[] = [];
    for (const { file, text } of pages()) {
      const tree = treeOfPage(text);
      counts.pages += 1;
      if (tree === null) counts.unparsed += 1;
      else faults.push(...compare(text, tree, counts).map((fault) => `${file} ${fault}`));
    }
    console.log(`prose of real pages: ${JSON.stringify(counts)}`);
    expect(faults).toEqual([]);
    expect(counts.code).toBeGreaterThan(5000);
    expect(counts.unparsed / counts.pages).toBeLessThan(0.02);
    expect(counts.left / counts.letters).toBeLessThan(0.005);
  });
});
