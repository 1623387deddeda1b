/** Real bundles, small or as large as a test needs. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ArtifactIndex,
  createPacker,
  joinBundle,
  type ManifestHead,
  memoryChunks,
} from '@offprint/bundle';

export interface TestBundle {
  version: string;
  bytes: Buffer;
  sha256: string;
  index: ArtifactIndex;
  /** Writes it to a folder and gives the path. */
  write(folder: string, name?: string): string;
}

/** A bundle of a page that names its version, and of `noise` bytes that do not compress. */
export async function makeBundle(
  version: string,
  options: {
    noise?: number;
    files?: number;
    head?: Partial<ManifestHead>;
    /** Further files by path. */
    others?: Readonly<Record<string, Uint8Array>>;
  } = {},
): Promise<TestBundle> {
  const store = memoryChunks();
  const packer = createPacker({ store, level: 1 });
  if (options.others?.['index.html'] === undefined)
    packer.add('index.html', `<!doctype html><title>version ${version}</title>`);
  for (let page = 0; page < (options.files ?? 5); page++)
    packer.add(`page-${page}.html`, `${version} ${page}`);
  if (options.noise !== undefined) packer.add('noise.bin', noise(options.noise, version));
  for (const [path, content] of Object.entries(options.others ?? {})) packer.add(path, content);
  const index = await packer.finish({
    site: { domain: 'docs.example.com', name: 'Docs', url: 'https://docs.example.com' },
    version,
    commit: null,
    renderer: { name: 'offprint', version: '0.1.0' },
    redirects: [],
    features: {},
    ...options.head,
  });
  const pieces: Uint8Array[] = [];
  for await (const piece of joinBundle(index, store.get)) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  return {
    version,
    bytes,
    sha256: index.bundle.sha256,
    index,
    write(folder, name = `${version}.tar.gz`) {
      writeFileSync(join(folder, name), bytes);
      return join(folder, name);
    },
  };
}

/** The same bytes for the same word, with nothing in them that deflate could find. */
export function noise(length: number, word: string): Buffer {
  const bytes = Buffer.alloc(length);
  let state = [...word].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) >>> 0;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}
