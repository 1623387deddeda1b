import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { assetPath } from '../assets.ts';
import { definitions } from '../components/index.ts';
import { loadFonts } from './fonts.ts';
import { hashOf } from './hash.ts';

const FOLDER = 'packages/render/src/theme/client';

/** Parts in order; each is in its own function and sees the names of `theme` and `common`. */
const PARTS = [
  ...inFolder(FOLDER, ['appearance', 'sheet', 'contents', 'menus', 'chrome']),
  ...inFolder('packages/render/src/components/client', [
    ...new Set(definitions.flatMap(({ client = [] }) => client)),
  ]),
  ...inFolder(FOLDER, ['code', 'images', 'disclosure', 'schemas', 'parts', 'search']),
];

function inFolder(folder: string, names: readonly string[]): string[] {
  return names.map((name) => `${folder}/${name}.js`);
}

interface Script {
  path: string;
  content: string;
}

/** A script whose name is known before its content is needed. */
interface Source {
  path: string;
  content(): string;
}

const shortened = new Map<string, string>();

/**
 * The script of every page, in the head: its first part runs before anything is shown, the others when the page is
 * parsed, before the scripts that the page defers. `fonts`: outputs to preload for text instead of the vendored ones.
 */
export function siteScript(fonts: readonly string[] | null): Source {
  const { text, code } = loadFonts().preload;
  const preload = JSON.stringify({ text: fonts ?? text, code });
  const parts = PARTS.map((path) => `(() => {\n${read(path)}})();\n`).join('');
  const full = `(() => {\nconst offprintFonts = ${preload};\n${readOwn('theme')}whenParsed(() => {\n${readOwn('common')}${parts}});\n})();\n`;
  return {
    path: `_offprint/site-${hashOf(full)}.js`,
    content() {
      const short = shortened.get(full) ?? shorten('site.js', full);
      shortened.set(full, short);
      return short;
    },
  };
}

/** A quarter less to load. The compiler is read at the first export, not where pages are only listed. */
export function shorten(name: string, full: string): string {
  const tools = createRequire(import.meta.url)('rolldown/utils') as Tools;
  const { code, errors } = tools.minifySync(name, full);
  if (errors[0] !== undefined) throw new Error(`${name}: ${errors[0].message}`);
  return `${code}\n`;
}

interface Tools {
  minifySync(name: string, source: string): { code: string; errors: { message: string }[] };
}

/** The script that precedes a site's own scripts. */
export function userApiScript(): Script {
  const content = readOwn('user-api');
  return { path: `_offprint/api-${hashOf(content)}.js`, content };
}

function readOwn(name: string): string {
  return read(`${FOLDER}/${name}.js`);
}

function read(path: string): string {
  return withoutComments(readFileSync(assetPath(path), 'utf8'));
}

/** A script of ours without comments and indentation; whole lines only, so that no text of the program is cut. */
export function withoutComments(text: string): string {
  return text.replace(/^[ \t]*(?:\/\/.*|\/\*[\s\S]*?\*\/)[ \t]*\n/gm, '').replace(/^[ \n]+/gm, '');
}
