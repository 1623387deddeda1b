import { readFileSync } from 'node:fs';
import { loadFonts } from './fonts.ts';
import { hashOf } from './hash.ts';

/** Parts of the deferred script, in order; each stands in its own function. */
const PARTS = ['appearance', 'sheet', 'contents', 'chrome', 'components'];

interface Script {
  path: string;
  content: string;
}

let scripts: { theme: Script; site: Script } | null = null;

/** The two scripts of every page, read once per process. */
export function buildScripts(): { theme: Script; site: Script } {
  scripts ??= {
    theme: script('theme', `const offprintFonts = ${JSON.stringify(loadFonts().preload)};\n${read('theme')}`),
    site: script('site', PARTS.map((name) => `(() => {\n${read(name)}})();\n`).join('')),
  };
  return scripts;
}

function script(name: string, content: string): Script {
  return { path: `_offprint/${name}-${hashOf(content)}.js`, content };
}

function read(name: string): string {
  return readFileSync(new URL(`./client/${name}.js`, import.meta.url), 'utf8');
}
