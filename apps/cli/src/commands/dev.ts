import { realpathSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { type Command, InvalidArgumentError } from 'commander';
import type { LiveSite } from '../dev/live-site.ts';
import type { PreviewServer } from '../dev/server.ts';
import { createTalk, printJson, type Talk } from '../output.ts';
import { untilInterrupted } from '../process/interruption.ts';
import { whileListening } from '../process/listening.ts';
import { requireFolder } from './docs-folder.ts';
import { parsePort } from './shared.ts';

interface DevOptions {
  port: number;
  host: string;
  open?: boolean;
  editor?: string;
  json?: boolean;
}

const EDITORS = ['vscode', 'vscode-insiders', 'cursor', 'windsurf', 'zed'];

export function addDevCommand(program: Command): void {
  program
    .command('dev')
    .description('preview a docs folder in the browser; it updates when you save a file')
    .argument('[dir]', 'folder that contains docs.json', '.')
    .option('-p, --port <port>', 'port to listen on, or the next free port', parsePort, 3000)
    .option('--host <host>', 'IP address or host name to listen on', '127.0.0.1')
    .option('--open', 'open the browser')
    .option('--editor <name>', `link problems to an editor: ${EDITORS.join(', ')}`, parseEditor)
    .option('--json', 'print one line of JSON when ready')
    .addHelpText('after', '\nExamples:\n  $ offprint dev\n  $ offprint dev docs --port 4000 --open')
    .action(dev);
}

function parseEditor(text: string): string {
  if (!EDITORS.includes(text)) throw new InvalidArgumentError(`Must be one of: ${EDITORS.join(', ')}.`);
  return text;
}

/** Files that may be API descriptions. */
const DESCRIPTION = /\.(?:json|ya?ml)$/i;
/** Time without a change before examples are checked. */
const QUIET_MS = 1000;

async function dev(dir: string, options: DevOptions): Promise<void> {
  const started = performance.now();
  requireFolder(dir);
  const talk = createTalk({ quiet: options.json === true });
  const root = realpathSync(dir);
  const [
    { openLiveSite, describe },
    { startPreviewServer },
    { watchFolder },
    { sayChange, sayExamples, sayReady },
  ] = await Promise.all([
    import('../dev/live-site.ts'),
    import('../dev/server.ts'),
    import('../dev/watch.ts'),
    import('../dev/terminal.ts'),
  ]);
  const hostname = options.host.includes(':') ? `[${options.host}]` : options.host;
  const site = openLiveSite(root);
  const onError = (error: unknown): void => talk.say(`error     ${describe(error).message}`);
  const editor = options.editor === undefined ? null : editorLink(options.editor, root);
  const server = await whileListening(
    { port: '--port', host: '--host' },
    startPreviewServer({ ...options, site, editor, onError }),
  );
  const url = `http://${hostname}:${server.port}/`;
  site.open(url);
  // Before the first message: a program that waits for it may send a signal immediately.
  const interrupted = untilInterrupted();
  let checking: NodeJS.Timeout | undefined;
  const onChange = (paths: readonly string[]): void => {
    const changedAt = performance.now();
    site.reload();
    server.announce(paths);
    sayChange(talk, site, paths, performance.now() - changedAt);
    clearTimeout(checking);
    // Open pages load first: a check of all examples of a large description takes longer than they do.
    if (paths.some((path) => DESCRIPTION.test(path)))
      checking = setTimeout(() => sayExamples(talk, site, paths), QUIET_MS).unref();
  };
  const unwatch = await watchFolder(root, onChange, onError);
  if (options.json) printJson({ url });
  const taken = options.port !== 0 && server.port !== options.port ? options.port : null;
  sayReady(talk, site, { url, dir, taken, took: performance.now() - started });
  if (options.open) await openPage(url, talk);
  await Promise.race([interrupted, untilQuit({ url, site, server, talk })]);
  await Promise.all([unwatch(), server.stop()]);
}

function editorLink(editor: string, root: string): string {
  return `${editor}://file${pathToFileURL(root).pathname.replace(/\/*$/, '/')}`;
}

async function openPage(url: string, talk: Talk): Promise<void> {
  const { openBrowser } = await import('../dev/open-browser.ts');
  if (!(await openBrowser(url))) talk.say(`note: Cannot start a browser. Open ${url} yourself.`);
}

/** Handles keys; resolves when the user quits, and never without a terminal. */
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
