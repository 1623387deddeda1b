import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { corpora, NO_CORPORA } from '../../../test/support/corpora.ts';
import { openSite } from '../src/open-site.ts';
import { createAnchorCheck } from '../src/output/anchors.ts';
import { directorySource } from '../src/source-directory.ts';
import type { Warning } from '../src/warning.ts';

const sites = corpora();

/** Everything the content of a site is warned about, by file and line. */
function contentWarnings(folder: string): Warning[] {
  const warnings: Warning[] = [];
  const warn = (warning: Warning) => void warnings.push(warning);
  const site = openSite({ source: directorySource(folder), siteUrl: 'https://docs.example.com' }, warn);
  warnings.length = 0;
  const anchors = createAnchorCheck();
  const rendered = site.siteMap.pages.map((page) => ({ page, content: site.content(page) }));
  for (const { page, content } of rendered) anchors.add(page, content);
  for (const { content } of rendered) anchors.settle(content.links);
  anchors.report(warn, site.siteMap);
  return warnings;
}

interface Place {
  folder: string;
  warning: Warning;
  /** The first name in backticks of the message. */
  name: string;
  /** The file of the warning. */
  text: string;
}

const exists = (folder: string, ...paths: string[]): boolean =>
  paths.some((path) => existsSync(posix.join(folder, path)));

function withoutFences(text: string): string {
  return text.replace(/^[ \t]*(`{3,}|~{3,})[^\n]*\n[\s\S]*?^[ \t]*\1/gm, '');
}

const letters = (text: string): string => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join('');

/** Candidates of a written path: from the root, and beside the file. */
function candidates(written: string, file: string): string[] {
  const path = decodeURI(written.replace(/[?#].*$/, ''));
  return [path, posix.join(posix.dirname(file), path)];
}

function hasAnchor(folder: string, page: string, id: string): boolean {
  const file = ['.mdx', '.md', '/index.mdx', '/index.md']
    .map((end) => `${page}${end}`)
    .find((each) => exists(folder, each));
  if (file === undefined) return false;
  const text = withoutFences(readFileSync(posix.join(folder, file), 'utf8'));
  const headings = [...text.matchAll(/^\s*#{1,6}\s+(.*)$/gm)].map((match) =>
    letters((match[1] ?? '').replace(/\{#.*\}/, '')),
  );
  const titles = [
    ...text.matchAll(/<(?:Step|Accordion|Tab|View|Update)\b[^>]*?(?:title|label)="([^"]+)/g),
  ].map((match) => letters(match[1] ?? ''));
  const ids = [...text.matchAll(/(?:\{#|id="|name=")([^"}]+)/g)].map((match) => match[1]);
  return [...headings, ...titles].includes(letters(id)) || ids.includes(id);
}

/** True where the defect that a warning names is in the source. One rule a kind, none of them the renderer's. */
const DEFECTS: Readonly<Record<string, (place: Place) => boolean>> = {
  'missing-asset': ({ folder, warning, name }) => !exists(folder, ...candidates(name, warning.file)),
  'unresolved-import': ({ folder, warning, name }) => !exists(folder, ...candidates(name, warning.file)),
  'broken-link': ({ folder, warning, name }) =>
    !candidates(name, warning.file).some((path) =>
      exists(folder, ...['.mdx', '.md', '/index.mdx'].map((end) => path + end)),
    ),
  'anchor-not-found': ({ folder, warning }) => {
    const [, page = '', id = ''] =
      / (\/\S*?),? (?:which )?has no heading or element with the id "(.*?)"/.exec(warning.message) ?? [];
    return id !== '' && !hasAnchor(folder, page, id);
  },
  'unknown-component': ({ text, name }) => !defines(text, name.replace(/[<>]/g, '')),
  'unknown-name': ({ text, name }) => !defines(text, name.replace(/[{}]/g, '')),
  'invalid-expression': ({ text, name }) => text.includes(name),
  'unknown-icon': ({ text, name }) => text.includes(`"${name}"`),
  'icon-substituted': ({ text, name }) => text.includes(`"${name}"`),
  'remote-file': ({ text, name }) => /^(?:https?:)?\/\//.test(name) && text.includes(name.slice(0, 60)),
  'remote-frame': ({ text, name }) => text.includes('<iframe') && name.includes('iframe'),
  'reserved-name': ({ text, name }) => new RegExp(`(?:id=["'{]+|\\{/?\\*? ?#)${name}\\b`).test(text),
  'description-reference': ({ text, warning }) => {
    const scheme = /^The security scheme "([^"]+)" is not defined/.exec(warning.message)?.[1] ?? '';
    const { components } = JSON.parse(text) as { components?: { securitySchemes?: Record<string, unknown> } };
    return text.includes(`"${scheme}": [`) && components?.securitySchemes?.[scheme] === undefined;
  },
  'unclosed-fence': ({ text, warning }) => {
    const [start = '', ...rest] = text.split('\n').slice((warning.line ?? 1) - 1);
    const [, marks = 'none'] = /^[\s>-]*(`{3,}|~{3,})/.exec(start) ?? [];
    return marks !== 'none' && !rest.some((line) => line.trim() === marks);
  },
  'removed-element': ({ text, name }) => text.includes(name.replace('>', '')),
};

function defines(text: string, name: string): boolean {
  return new RegExp(`(?:const|let|function|import)\\s+(?:\\{[^}]*\\b)?${name.replace(/\W/g, '')}\\b`).test(
    text,
  );
}

describe.skipIf(sites.length === 0)(
  sites.length === 0 ? NO_CORPORA : 'warnings about the content of the corpora',
  () => {
    test.each(sites)('$name: each names a defect that is in the source', ({ folder }) => {
      const unexplained = contentWarnings(folder).filter((warning) => {
        const text = exists(folder, warning.file)
          ? readFileSync(posix.join(folder, warning.file), 'utf8')
          : '';
        const name = /`([^`]*)`/.exec(warning.message)?.[1] ?? '';
        const explains = DEFECTS[warning.code];
        return explains === undefined || !explains({ folder, warning, name, text });
      });
      expect(unexplained).toEqual([]);
    });
  },
);
