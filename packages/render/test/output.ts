import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { memorySource, type RenderOptions, type RenderResult, renderSite } from '../src/index.ts';

export const FIXTURE = new URL('./fixtures/site/', import.meta.url).pathname;

export interface Output {
  files: Map<string, string | Uint8Array>;
  result: RenderResult;
}

/** Renders a source held in memory and keeps the files in order of emission. */
export async function renderFiles(
  files: Record<string, string | Uint8Array>,
  options: Partial<RenderOptions> = {},
): Promise<Output> {
  const output = new Map<string, string | Uint8Array>();
  const result = await renderSite({
    source: memorySource(files),
    siteUrl: 'https://docs.example.com',
    emit: (path, content) => {
      if (output.has(path)) throw new Error(`emitted twice: ${path}`);
      output.set(path, content);
    },
    ...options,
  });
  return { files: output, result };
}

/** The files below a folder, by path. */
export function readFolder(folder: string): Record<string, Uint8Array> {
  const files: Record<string, Uint8Array> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files[path.slice(folder.replace(/\/*$/, '/').length)] = new Uint8Array(readFileSync(path));
  }
  return files;
}

/** Text of an emitted file; throws when it is not there. */
export function textOf(output: Pick<Output, 'files'>, path: string): string {
  const content = output.files.get(path);
  if (content === undefined) throw new Error(`not emitted: ${path}`);
  return typeof content === 'string' ? content : new TextDecoder().decode(content);
}

/** Links and embedded files of the HTML pages and style sheets that lead to no emitted file. */
export function brokenLinks(output: Output): string[] {
  const broken: string[] = [];
  for (const [path, content] of output.files) {
    if (typeof content !== 'string' || path === '404.html') continue;
    const targets = path.endsWith('.html')
      ? attributesOf(content)
      : path.endsWith('.css')
        ? [...content.matchAll(/url\((?!["']?data:)["']?([^)"']+)/g)].map((match) => match[1]!)
        : [];
    for (const target of targets) {
      const found = resolveTarget(path, target);
      if (found !== null && !output.files.has(found)) broken.push(`${path} -> ${target}`);
    }
  }
  return broken;
}

function attributesOf(html: string): string[] {
  // Text and code hold no raw quotes after `href=` inside tags of ours; `[^<>]*` keeps to one tag.
  return [...html.matchAll(/<[a-z][^<>]*?\s(?:href|src|poster)="([^"]*)"/gi)].map((match) =>
    match[1]!.replaceAll('&amp;', '&'),
  );
}

function resolveTarget(from: string, target: string): string | null {
  if (target === '' || target.startsWith('#') || /^[a-z][a-z0-9+.-]*:/i.test(target)) return null;
  if (target.startsWith('//')) return null;
  const url = new URL(target, `https://site.invalid/${from.split('/').map(encodeURIComponent).join('/')}`);
  return decodeURIComponent(url.pathname.slice(1));
}

/** A site with the pages of an API description, an object or the text of its file. */
export const apiSite = (description: object | string, file = 'api.json'): Record<string, string> => ({
  'docs.json': JSON.stringify({
    name: 'Site',
    theme: 'mint',
    colors: { primary: '#166e3f' },
    navigation: {
      groups: [
        { group: 'Start', pages: ['index'] },
        { group: 'API', openapi: file },
      ],
    },
  }),
  'index.mdx': '---\ntitle: Start\n---\n\nText\n',
  [file]: typeof description === 'string' ? description : JSON.stringify(description),
});
