import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CORE_SCHEMA, load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { corpora, NO_CORPORA } from '../../../test/support/corpora.ts';
import { loadConfig } from '../src/config/config.ts';
import { readFrontMatter, readYaml } from '../src/config/front-matter.ts';
import { readPlainFields } from '../src/config/plain-fields.ts';
import { buildSiteMap } from '../src/nav/site-map.ts';
import { directorySource } from '../src/source-directory.ts';
import type { Warning } from '../src/warning.ts';

const sites = corpora();

/** Page files by the written rules, read from disk without the renderer. */
function countPages(folder: string): string[] {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  const texts = new Map(
    all
      .filter((file) => /\.mdx?$/.test(file))
      .map((file) => [file, readFileSync(join(folder, file), 'utf8')]),
  );
  const imported = new Set<string>();
  for (const [file, text] of texts) {
    const prose = text.replace(/^ *(`{3,}|~{3,})[^\n]*\n[\s\S]*?^ *\1/gm, '');
    for (const [, target = ''] of prose.matchAll(/^import\s[^'"]*from\s+['"](\.{0,2}\/[^'"]+)['"]/gm)) {
      imported.add(target.startsWith('/') ? target.slice(1) : join(dirname(file), target));
    }
  }
  const ignored = all.includes('.mintignore')
    ? readFileSync(join(folder, '.mintignore'), 'utf8').split('\n')
    : [];
  const folders = [
    'temp/',
    'tmp/',
    'build/',
    'dist/',
    'coverage/',
    ...ignored.filter((rule) => /^[\w-]+\/$/.test(rule)),
  ];
  return [...texts]
    .filter(([file]) => !/(^|\/)(\.|_?snippets\/|node_modules\/)/.test(file))
    .filter(([file]) => !/(^|\/)(readme|license|contributing|contribute|changelog)\.md$/i.test(file))
    .filter(([file]) => file !== 'skill.md')
    .filter(([file]) => !folders.some((name) => file.startsWith(name)) && !imported.has(file))
    .filter(([, text]) => !/^---\n(?:(?!---)[^\n]*\n)*url: \S/.test(text))
    .map(([file]) => file)
    .sort();
}

/** The value by the strict parser, or by the lenient one where the strict one refuses it. */
function parseEither(block: string): unknown {
  try {
    return parse(block);
  } catch {
    return load(block, { schema: CORE_SCHEMA, json: true });
  }
}

describe.skipIf(sites.length === 0)(sites.length === 0 ? NO_CORPORA : 'corpora', () => {
  test.each(sites)('$name has exactly its pages', ({ folder }) => {
    const source = directorySource(folder);
    const warnings: Warning[] = [];
    const warn = (warning: Warning) => warnings.push(warning);
    const map = buildSiteMap(source, loadConfig(source, warn), {}, warn);
    const written = map.pages.flatMap(({ source: file }) => file ?? []);
    expect(written.sort()).toEqual(countPages(folder));
    for (const { file, message } of warnings) {
      expect(source.has(file)).toBe(true);
      expect(message).toMatch(/[.)?]$/);
    }
  });

  test.each(sites)('$name: every listed page that is there has a place in the navigation', ({ folder }) => {
    const source = directorySource(folder);
    const config = loadConfig(source, () => {});
    const map = buildSiteMap(source, config, {}, () => {});
    const listed = new Set<string>();
    JSON.stringify(config.raw.navigation, (_key, value: unknown) => {
      if (typeof value === 'string') listed.add(value.replace(/^\/|\.mdx?$|\/index$/g, ''));
      return value;
    });
    for (const page of map.pages) if (listed.has(page.path)) expect(page.trail.at(-1)?.page).toBe(page);
  });

  test.each(sites)('$name: front matter is what plain YAML parsers read', ({ folder }) => {
    const source = directorySource(folder);
    let plain = 0;
    for (const file of source.paths.filter((path) => /\.mdx?$/.test(path))) {
      const text = source.readText(file);
      const block = /^---\r?\n([\s\S]*?)^---[ \t]*\r?$/m.exec(text)?.[1];
      if (!text.startsWith('---') || block === undefined) continue;
      const { frontMatter, fault } = readFrontMatter(text);
      if (fault === null) expect(frontMatter).toEqual(parseEither(block) ?? {});
      else expect(() => parseEither(block)).toThrow();
      const fields = readPlainFields(block, 'yaml');
      if (fields === null) continue;
      plain++;
      expect(readYaml(block)).toEqual({ frontMatter: fields, fault: null });
    }
    expect(plain).toBeGreaterThan(0);
  });
});
