import { readFileSync } from 'node:fs';
import { assetPath } from '../assets.ts';
import { definitions } from '../components/index.ts';
import { loadFonts } from './fonts.ts';
import { hashOf } from './hash.ts';

const FOLDER = 'packages/render/src/theme/client';

/** Parts of the deferred script, in order; each is in its own function and sees the names of `common`. */
const PARTS = [
  ...inFolder(FOLDER, ['appearance', 'sheet', 'contents', 'menus', 'chrome']),
  ...inFolder('packages/render/src/components/client', [
    ...new Set(definitions.flatMap(({ client = [] }) => client)),
  ]),
  ...inFolder(FOLDER, ['code', 'images', 'disclosure', 'schemas', 'search']),
];

function inFolder(folder: string, names: readonly string[]): string[] {
  return names.map((name) => `${folder}/${name}.js`);
}

interface Script {
  path: string;
  content: string;
}

let site: Script | null = null;

/** The two scripts of every page. `fonts`: outputs to preload for text instead of the vendored ones. */
export function buildScripts(fonts: readonly string[] | null): { theme: Script; site: Script } {
  site ??= script(
    'site',
    `(() => {\n${readOwn('common')}${PARTS.map((path) => `(() => {\n${read(path)}})();\n`).join('')}})();\n`,
  );
  const { text, code } = loadFonts().preload;
  const preload = JSON.stringify({ text: fonts ?? text, code });
  return { theme: script('theme', `const offprintFonts = ${preload};\n${readOwn('theme')}`), site };
}

function script(name: string, content: string): Script {
  return { path: `_offprint/${name}-${hashOf(content)}.js`, content };
}

/** The script that precedes a site's own scripts. */
export function userApiScript(): Script {
  return script('api', readOwn('user-api'));
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
