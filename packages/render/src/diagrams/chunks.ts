import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assetPath, packageFile } from '../assets.ts';

/**
 * Mermaid comes as one script of 5.5 MB or as modules that load each other on demand. Pages opened from disk cannot load
 * modules, so each module is turned into a classic script that hands its body to the loader of client.js:
 * `offprintDiagrams(name, names of imports, (exports, imports, load) => {…})`.
 */
export interface Chunk {
  /** File name without extension. */
  name: string;
  /** Chunks that must be there before it runs. */
  imports: string[];
  script: string;
}

/** The module that starts everything else. */
export const ENTRY = 'mermaid.esm.min';
const FOLDER = 'chunks/mermaid.esm.min';

function root(): string {
  return packageFile('mermaid', 'dist');
}

/** The library as a module. */
export const libraryFile = (): string => join(root(), `${ENTRY}.mjs`);

/** Version of the library. */
export function mermaidVersion(): string {
  const text = readFileSync(join(root(), '..', 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** Licenses of the library and of the packages that are compiled into it. */
export function diagramLicenses(): string {
  return readFileSync(assetPath('packages/render/src/diagrams/notices.txt'), 'utf8');
}

/** Names of all chunks but the entry, sorted. */
export function chunkNames(): string[] {
  return readdirSync(join(root(), FOLDER))
    .filter((file) => file.endsWith('.mjs'))
    .map((file) => file.slice(0, -'.mjs'.length))
    .sort();
}

/** Reads and converts a chunk. Throws when a file is not of the form that the pinned version has. */
export function readChunk(name: string): Chunk {
  const file = name === ENTRY ? `${name}.mjs` : `${FOLDER}/${name}.mjs`;
  return convert(name, readFileSync(join(root(), file), 'utf8'));
}

const importAt = /\s*import(?:\{([^{}]*)\}from)?"([^"]+)";?/y;
const exportAt = /(^|[;}\n])export\{([^{}]*)\};?/g;

function convert(name: string, text: string): Chunk {
  const imports: string[] = [];
  let head = '';
  let at = 0;
  for (;;) {
    importAt.lastIndex = at;
    const found = importAt.exec(text);
    if (found === null) break;
    at = importAt.lastIndex;
    if (found[1] !== undefined)
      head += `const{${found[1].replaceAll(/\s+as\s+/g, ':')}}=offprintImports[${imports.length}];`;
    imports.push(nameOf(found[2] ?? ''));
  }
  const exports = [...text.matchAll(exportAt)].at(-1);
  let body = text.slice(at);
  if (exports !== undefined) {
    const names = (exports[2] ?? '').split(',').map(exportEntry).join(',');
    const start = exports.index + (exports[1] ?? '').length;
    const end = exports.index + exports[0].length;
    body = `${text.slice(at, start)};Object.assign(offprintExports,{${names}});${text.slice(end)}`;
  }
  if (/[;}\n]import[{"]/.test(body)) throw new Error(`mermaid: imports of ${name} are not at its start`);
  const script =
    `offprintDiagrams(${JSON.stringify(name)},${JSON.stringify(imports)},function(offprintExports,offprintImports,offprintLoad){"use strict";` +
    `${head}${withoutStyles(withLoader(body))}\n});\n`;
  return { name, imports, script };
}

/** `a as b` is `b:a` in an object; names of exports are identifiers. */
function exportEntry(text: string): string {
  const [local = '', exported = local] = text.trim().split(/\s+as\s+/);
  return `${exported}:${local}`;
}

function nameOf(path: string): string {
  return path.replace(/^.*\//, '').replace(/\.mjs$/, '');
}

function withLoader(body: string): string {
  return body.replace(/\bimport\("([^"]+)"\)/g, (_, path: string) => `offprintLoad("${nameOf(path)}")`);
}

/** A strict policy blocks `<style>` elements that scripts insert; ours hands the rules to a constructed style sheet. */
function withoutStyles(body: string): string {
  return body
    .replaceAll('document.createElement("style")', 'offprintDiagrams.style()')
    .replaceAll('.createElement("style")', '.createElement("template")');
}
