import { readFileSync } from 'node:fs';
import { assetPath } from '../assets.ts';
import type { PageAsset } from '../page-asset.ts';
import { hashOf } from '../theme/hash.ts';
import { type Chunk, chunkNames, diagramLicenses, ENTRY, mermaidVersion, readChunk } from './chunks.ts';

let asset: PageAsset | null = null;

/**
 * The script of pages with diagrams. It is small; the library and the parts that a kind of diagram needs are files of
 * their own, which it loads when a diagram comes near the viewport.
 */
export function diagramAsset(): PageAsset {
  asset ??= makeAsset();
  return asset;
}

function makeAsset(): PageAsset {
  const client = readFileSync(assetPath('packages/render/src/diagrams/client.js'), 'utf8');
  const name = `diagrams-${hashOf(mermaidVersion() + client)}`;
  const folder = `_offprint/${name}`;
  let parts: Parts | null = null;
  const read = (): Parts => {
    parts ??= readParts();
    return parts;
  };
  const file = (path: string, content: () => string) => ({
    path: `${folder}/${path}`,
    content: () => new TextEncoder().encode(content()),
  });
  return {
    kind: 'script',
    path: `_offprint/${name}.js`,
    content: () => script(client, name, read()),
    // Only called for a site with diagrams: the list of files is not known before the library is read.
    get files() {
      const { core, others } = read();
      return [
        file('core.js', () => core.map((chunk) => chunk.script).join('')),
        ...others.map((chunk) => file(`${chunk.name}.js`, () => chunk.script)),
        file('licenses.txt', diagramLicenses),
      ];
    },
  };
}

interface Parts {
  /** Always needed, together. */
  core: Chunk[];
  others: Chunk[];
}

function readParts(): Parts {
  const chunks = new Map([ENTRY, ...chunkNames()].map((name) => [name, readChunk(name)]));
  const core = new Set<Chunk>();
  const visit = (name: string): void => {
    const chunk = chunks.get(name);
    if (chunk === undefined || core.has(chunk)) return;
    core.add(chunk);
    for (const next of chunk.imports) visit(next);
  };
  visit(ENTRY);
  return { core: [...core], others: [...chunks.values()].filter((chunk) => !core.has(chunk)) };
}

/** The client with the table of what each chunk imports, so that all of it is asked for at once. */
function script(client: string, folder: string, { core, others }: Parts): string {
  const names = new Set(core.map((chunk) => chunk.name));
  const imports: Record<string, string[]> = {};
  for (const chunk of others) {
    const needed = chunk.imports.filter((name) => !names.has(name));
    if (needed.length > 0) imports[chunk.name] = needed;
  }
  const table = JSON.stringify({ folder, entry: ENTRY, core: [...names], imports });
  return `(() => {\nconst library = ${table};\n${client}})();\n`;
}
