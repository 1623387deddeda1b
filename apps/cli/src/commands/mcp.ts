import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { CliError } from '../errors.ts';
import { createTalk } from '../output.ts';
import { readMessages } from '../process/messages.ts';
import { createWorkFolder } from '../process/work-folder.ts';
import { requireBundle } from './shared.ts';

interface McpOptions {
  url?: string;
}

/** Characters of a message. */
const MAX_MESSAGE = 1_000_000;
/** Memory of the search index. */
const SEARCH_BYTES = 256 * 1024 * 1024;

export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('let agents search and read the site in a bundle')
    .argument('<bundle>', 'bundle from `offprint export` or `offprint publish`')
    .option('--url <url>', 'URL of the site for links in results; default: the one in the bundle')
    .addHelpText(
      'after',
      `
Speaks the Model Context Protocol over standard input and output, with the tools search and read, and the skills of
the site as resources. Uses no network.

Examples:
  $ offprint mcp site.tar.gz
  $ claude mcp add docs -- offprint mcp /srv/docs/site.tar.gz
  $ offprint mcp site.tar.gz --url https://docs.example.com`,
    )
    .action(mcp);
}

async function mcp(bundle: string, options: McpOptions): Promise<void> {
  requireBundle(bundle);
  const { url } = options;
  if (url !== undefined && !/^https?:\/\/[^/\s]/.test(url))
    throw new CliError(2, `--url must be an http or https URL, such as https://docs.example.com.`);
  const [{ BundleError, unpackBundle }, search] = await Promise.all([
    import('@offprint/bundle'),
    import('@offprint/search'),
  ]);
  // standard output belongs to the protocol
  const talk = createTalk({ quiet: false });
  const work = createWorkFolder(tmpdir(), 'offprint-mcp-');
  try {
    const folder = join(work.path, 'site');
    const { manifest } = await unpackBundle(bundle, folder).catch((error: unknown) => {
      if (error instanceof BundleError)
        throw new CliError(1, `${bundle} is not a valid bundle: ${error.message}`);
      throw error;
    });
    const sizes = new Map(manifest.files.map(({ path, size }) => [path, size]));
    const read = async (path: string, maxBytes: number): Promise<Uint8Array | null> => {
      const size = sizes.get(path);
      return size === undefined || size > maxBytes ? null : readFile(join(folder, path));
    };
    const cache = search.createSearchCache(SEARCH_BYTES);
    const site = placeOf(url ?? manifest.site.url);
    const tools = search.createSiteTools({
      ...site,
      name: manifest.site.name,
      version: manifest.version,
      read,
      openSearch: () => cache.open('bundle', read),
      search: (request) => cache.search('bundle', read, request),
    });
    const server = search.createMcpServer(tools, (error) =>
      talk.say(error instanceof Error ? error.message : String(error)),
    );
    for await (const message of readMessages(process.stdin, MAX_MESSAGE)) {
      const { body } = await server.handle(message);
      if (body !== null) process.stdout.write(`${JSON.stringify(body)}\n`);
    }
  } finally {
    work.remove();
  }
}

/** Origin and base path of the URL of a site; both empty without one. */
function placeOf(url: string): { origin: string; basePath: string } {
  if (!URL.canParse(url)) return { origin: '', basePath: '' };
  const { origin, pathname } = new URL(url);
  return { origin, basePath: pathname.replace(/\/+$/, '') };
}
