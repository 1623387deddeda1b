import { readFileSync } from 'node:fs';
import { assetPath } from '../assets.ts';
import { loadFonts } from './fonts.ts';
import { hashOf } from './hash.ts';

/** Parts of the deferred script, in order; each is in its own function and sees the names of `common`. */
const PARTS = [
  'appearance',
  'sheet',
  'contents',
  'menus',
  'chrome',
  'tabs',
  'choices',
  'updates',
  'tree',
  'tooltip',
  'code',
  'images',
  'disclosure',
  'search',
];

interface Script {
  path: string;
  content: string;
}

let site: Script | null = null;

/** The two scripts of every page. `fonts`: outputs to preload for text instead of the vendored ones. */
export function buildScripts(fonts: readonly string[] | null): { theme: Script; site: Script } {
  site ??= script(
    'site',
    `(() => {\n${read('common')}${PARTS.map((name) => `(() => {\n${read(name)}})();\n`).join('')}})();\n`,
  );
  const { text, code } = loadFonts().preload;
  const preload = JSON.stringify({ text: fonts ?? text, code });
  return { theme: script('theme', `const offprintFonts = ${preload};\n${read('theme')}`), site };
}

function script(name: string, content: string): Script {
  return { path: `_offprint/${name}-${hashOf(content)}.js`, content };
}

/** The script that precedes a site's own scripts. */
export function userApiScript(): Script {
  return script('api', read('user-api'));
}

function read(name: string): string {
  return withoutComments(readFileSync(assetPath(`packages/render/src/theme/client/${name}.js`), 'utf8'));
}

/** A script of ours without comments and indentation; whole lines only, so that no text of the program is cut. */
export function withoutComments(text: string): string {
  return text.replace(/^[ \t]*(?:\/\/.*|\/\*[\s\S]*?\*\/)[ \t]*\n/gm, '').replace(/^[ \n]+/gm, '');
}
