import { existsSync, readFileSync } from 'node:fs';
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

/** Of sites with variants of images; after that of images. */
const PICTURES = `${FOLDER}/pictures.js`;

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

/** Where the build puts the short form of the scripts that every site has, by the digest of the full form. */
export const BUILT_SCRIPTS = 'packages/render/src/theme/scripts.json';

/**
 * The script of every page, in the head: its first part runs before anything is shown, the others when the page is
 * parsed, before the scripts that the page defers. `fonts`: outputs to preload for text instead of the vendored ones.
 */
export function siteScript(fonts: readonly string[] | null, hasVariants: boolean): Source {
  const full = fullSiteScript(fonts, hasVariants);
  return { path: `_offprint/site-${hashOf(full)}.js`, content: () => shorten('site.js', full) };
}

export function fullSiteScript(fonts: readonly string[] | null, hasVariants: boolean): string {
  const { text, code } = loadFonts().preload;
  const preload = JSON.stringify({ text: fonts ?? text, code });
  const paths = hasVariants ? [...PARTS, PICTURES] : PARTS;
  const parts = paths.map((path) => `(() => {\n${read(path)}})();\n`).join('');
  return `(() => {\nconst offprintFonts = ${preload};\n${readOwn('theme')}whenParsed(() => {\n${readOwn('common')}${parts}});\n})();\n`;
}

let shortened: Map<string, string> | null = null;

/**
 * A quarter less to load. Scripts that the build has not shortened need a compiler, which is read at the first export,
 * not where pages are only listed.
 */
export function shorten(name: string, full: string): string {
  const digest = hashOf(full);
  shortened ??= readShortened();
  let short = shortened.get(digest);
  if (short === undefined) {
    const tools = createRequire(import.meta.url)('rolldown/utils') as Tools;
    const { code, errors } = tools.minifySync(name, full);
    if (errors[0] !== undefined) throw new Error(`${name}: ${errors[0].message}`);
    short = `${code}\n`;
    shortened.set(digest, short);
  }
  return short;
}

function readShortened(): Map<string, string> {
  const built = assetPath(BUILT_SCRIPTS);
  return new Map(existsSync(built) ? Object.entries<string>(JSON.parse(readFileSync(built, 'utf8'))) : []);
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
