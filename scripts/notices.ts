/**
 * Writes packages/render/src/diagrams/notices.txt: the licenses of the packages that are compiled into the library of
 * diagrams, which exported sites with diagrams contain. `npm run docs` runs this script; with --check it writes nothing
 * and exits with 1 when the file is stale.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { licenseText, notices } from './build/licenses.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const library = join(root, 'node_modules/mermaid');

export const noticesFile = join(root, 'packages/render/src/diagrams/notices.txt');

/** Compiled into the library without being one of its dependencies. */
const NOT_INSTALLED: Readonly<Record<string, string>> = {
  fastdom: [
    '(The MIT License)',
    'Copyright (c) 2016 Wilson Page <wilsonpage@me.com>',
    "Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the 'Software'), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:",
    'The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.',
    "THE SOFTWARE IS PROVIDED 'AS IS', WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.",
  ].join('\n\n'),
};

/** Packages whose modules are in the minified files, by their source maps. */
export function compiledPackages(): string[] {
  const folder = join(library, 'dist/chunks/mermaid.esm.min');
  const maps = readdirSync(folder)
    .filter((name) => name.endsWith('.map'))
    .map((name) => join(folder, name));
  const names = [join(library, 'dist/mermaid.esm.min.mjs.map'), ...maps].flatMap((path) => {
    const { sources }: { sources: string[] } = JSON.parse(readFileSync(path, 'utf8'));
    return sources.flatMap((source) => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? []);
  });
  return ['mermaid', ...new Set(names)];
}

function textOf(name: string): string {
  const known = NOT_INSTALLED[name];
  if (known !== undefined) return known;
  if (name === 'mermaid') return licenseText(library);
  const own = join(library, 'node_modules', name);
  try {
    return licenseText(own);
  } catch {
    return licenseText(join(root, 'node_modules', name));
  }
}

export function makeNotices(): string {
  return `Diagrams are drawn by mermaid, which contains these packages.\n\n${notices(new Map(compiledPackages().map((name) => [name, textOf(name)])))}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const made = makeNotices();
  if (!process.argv.includes('--check')) writeFileSync(noticesFile, made);
  else if (readFileSync(noticesFile, 'utf8') !== made) {
    process.stderr.write(`${noticesFile} is stale. Run \`npm run docs\`.\n`);
    process.exitCode = 1;
  }
}
