import { realpathSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Command, InvalidArgumentError } from 'commander';
import type { LiveSite } from '../dev/live-site.ts';
import type { PreviewServer } from '../dev/server.ts';
import { CliError } from '../errors.ts';
import { createTalk, formatDuration, printable, printJson, type Talk } from '../output.ts';
import { parsePort, untilInterrupted } from './shared.ts';

interface DevOptions {
  port: number;
  host: string;
  open?: boolean;
  editor?: string;
  json?: boolean;
}

/** Problems of one change that are written out; the overlay shows all of a page. */
const MOST_LINES = 12;
const EDITORS = ['vscode', 'vscode-insiders', 'cursor', 'windsurf', 'zed'];

export function addDevCommand(program: Command): void {
  program
    .command('dev')
    .description('preview a docs folder in the browser; saved files are shown at once')
    .argument('[dir]', 'folder that holds docs.json', '.')
    .option('-p, --port <port>', 'port to listen on; the next free one when it is taken', parsePort, 3000)
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--open', 'open the browser')
    .option('--editor <name>', `link problems to an editor: ${EDITORS.join(', ')}`, parseEditor)
    .option('--json', 'print one line of JSON when ready')
    .addHelpText('after', '\nExamples:\n  $ offprint dev\n  $ offprint dev docs --port 4000 --open')
    .action(dev);
}

function parseEditor(text: string): string {
  if (!EDITORS.includes(text)) throw new InvalidArgumentError(`one of ${EDITORS.join(', ')}.`);
  return text;
}

async function dev(dir: string, options: DevOptions): Promise<void> {
  const started = performance.now();
  if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) {
    throw new CliError(2, `no such folder: ${dir}`);
  }
  const talk = createTalk({ quiet: options.json === true });
  const root = realpathSync(dir);
  const [{ openLiveSite, describe }, { startPreviewServer }, { watchFolder }] = await Promise.all([
    import('../dev/live-site.ts'),
    import('../dev/server.ts'),
    import('../dev/watch.ts'),
  ]);
  const address = options.host.includes(':') ? `[${options.host}]` : options.host;
  const site = openLiveSite(root, `http://${address}:${options.port}`);
  const onFault = (error: unknown): void => talk.say(`fault     ${describe(error).message}`);
  const editor = options.editor === undefined ? null : editorLink(options.editor, root);
  const server = await startPreviewServer({ ...options, site, editor, onFault }).catch((error: Error) => {
    throw new CliError(2, `cannot listen on ${address}:${options.port}: ${error.message}`);
  });
  const url = `http://${address}:${server.port}/`;
  // Before anything is said: whoever waits for that may stop us at once.
  const interrupted = untilInterrupted();
  const onChange = (paths: readonly string[]): void => {
    const began = performance.now();
    site.reload();
    server.announce(paths);
    sayChange(talk, site, paths, performance.now() - began);
  };
  const unwatch = await watchFolder(root, onChange, onFault);
  if (options.json) printJson({ url });
  sayReady(talk, site, {
    url,
    dir,
    moved: options.port !== 0 && server.port !== options.port,
    options,
    started,
  });
  if (options.open) await openPage(url, talk);
  await Promise.race([interrupted, untilQuit({ url, site, server, talk })]);
  await Promise.all([unwatch(), server.stop()]);
}

function editorLink(editor: string, root: string): string {
  return `${editor}://file${pathToFileURL(root).pathname.replace(/\/*$/, '/')}`;
}

async function openPage(url: string, talk: Talk): Promise<void> {
  const { openBrowser } = await import('../dev/open-browser.ts');
  if (!(await openBrowser(url))) talk.say(`note: no browser could be opened; open ${url} yourself`);
}

function sayReady(
  talk: Talk,
  site: LiveSite,
  {
    url,
    dir,
    moved,
    options,
    started,
  }: { url: string; dir: string; moved: boolean; options: DevOptions; started: number },
): void {
  const preview = site.preview();
  const took = formatDuration(performance.now() - started);
  if (moved) talk.say(`note: port ${options.port} is taken`);
  if (preview === null) talk.say('The site cannot be shown yet; it is as soon as this is mended:');
  else talk.say(`Preview of ${preview.name} (${preview.pageCount} pages, ready in ${took})`);
  sayFault(talk, site);
  talk.say(`\n  ${url}\n`);
  const warnings = preview?.warnings ?? [];
  for (const warning of warnings.slice(0, MOST_LINES)) sayWarning(talk, warning);
  if (warnings.length > MOST_LINES) {
    const where = relative('.', dir) === '' ? '' : ` ${dir}`;
    talk.say(`and ${warnings.length - MOST_LINES} more; \`offprint check${where}\` lists all`);
  }
  const keys = process.stdin.isTTY ? 'r reloads every page, o opens the browser, q quits' : 'Ctrl-C quits';
  talk.say(`Watching for changes. ${keys}.`);
}

function sayFault(talk: Talk, site: LiveSite): boolean {
  const fault = site.fault();
  if (fault === null) return false;
  const place = `${fault.file}${fault.line === null ? '' : `:${fault.line}`}`;
  talk.say(printable(`error     ${place}: ${fault.message}`));
  return true;
}

function sayWarning(
  talk: Talk,
  { file, line, message }: { file: string; line: number | null; message: string },
): void {
  talk.say(printable(`warning   ${file}${line === null ? '' : `:${line}`}: ${message}`));
}

/** What changed, how long it took, and what is wrong with it now. */
function sayChange(talk: Talk, site: LiveSite, paths: readonly string[], took: number): void {
  const names =
    paths.length > 3 ? `${paths.slice(0, 3).join(', ')} and ${paths.length - 3} more` : paths.join(', ');
  talk.say(printable(`changed   ${names} (${Math.round(took)} ms)`));
  if (sayFault(talk, site)) return;
  const preview = site.preview();
  const changed = new Set(paths);
  const warnings = (preview?.warnings ?? []).filter(({ file }) => changed.has(file));
  for (const path of paths.slice(0, MOST_LINES)) {
    const output = preview?.outputOf(path) ?? null;
    if (output !== null) warnings.push(...(preview?.page(output)?.warnings ?? []));
  }
  for (const warning of warnings.slice(0, MOST_LINES)) sayWarning(talk, warning);
  if (warnings.length > MOST_LINES) talk.say(`and ${warnings.length - MOST_LINES} more on these files`);
}

/** Keys of a terminal; never resolves without one. */
function untilQuit(running: {
  url: string;
  site: LiveSite;
  server: PreviewServer;
  talk: Talk;
}): Promise<void> {
  const { stdin } = process;
  if (!stdin.isTTY) return new Promise(() => {});
  stdin.setRawMode(true);
  stdin.resume();
  stdin.setEncoding('utf8');
  return new Promise((resolve) => {
    stdin.on('data', (key: string) => {
      if (key === 'q' || key === '\u0003' || key === '\u0004') {
        stdin.setRawMode(false);
        stdin.pause();
        resolve();
      } else if (key === 'o') void openPage(running.url, running.talk);
      else if (key === 'r') {
        running.site.reload();
        running.server.reload();
      }
    });
  });
}
