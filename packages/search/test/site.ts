/** Exports of small sites in memory, read as servers read them. */
import { renderFiles, textOf } from '../../render/test/output.ts';
import type { ReadFile } from '../src/site-files.ts';

export interface TestSite {
  read: ReadFile;
  files: ReadonlyMap<string, string | Uint8Array>;
  /** Paths that were read, in order. */
  asked: string[];
}

export async function exportSite(pages: Readonly<Record<string, string>>): Promise<TestSite> {
  return siteOf((await renderFiles(pages)).files);
}

export function siteOf(files: ReadonlyMap<string, string | Uint8Array>): TestSite {
  const asked: string[] = [];
  return {
    files,
    asked,
    async read(path, maxBytes) {
      asked.push(path);
      if (!files.has(path)) return null;
      const bytes = Buffer.from(textOf({ files: new Map(files) }, path));
      return bytes.length > maxBytes ? null : bytes;
    },
  };
}

export const page = (title: string, body: string, more = ''): string =>
  `---\ntitle: ${JSON.stringify(title)}\n${more}---\n\n${body}\n`;

export const config = (navigation: unknown, rest: Record<string, unknown> = {}): string =>
  JSON.stringify({ theme: 'mint', name: 'Acme', colors: { primary: '#166e3f' }, navigation, ...rest });
