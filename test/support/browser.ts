/**
 * A real Chromium for tests: the one that an npm package carries, unpacked once below node_modules/.cache, with the
 * libraries that minimal systems lack; else the system's. The one of the package has no windows of its own around pages,
 * so that a page takes a quarter of the CPU time.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createBrotliDecompress } from 'node:zlib';
import { type Browser, chromium, type LaunchOptions, type Page } from 'playwright-core';

/** Environment variable with the URL that returns the endpoint of the browser of a test run. */
export const SHARED_BROWSER = 'OFFPRINT_TEST_BROWSER';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const SYSTEM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];
const EMPTY = 'about:blank';
/** Whatever is waited for longer than this does not come, however busy the machine is. */
const HANG_MS = 240_000;
/** Debian names of what the packaged browser links to beyond a minimal system. */
const DEBIAN_LIBRARIES = ['libnss3', 'libnspr4', 'libexpat1', 'fontconfig-config', 'fonts-dejavu-core'];

/**
 * A browser whose contexts can be closed at any moment: a connection to the one that all files of a test run share, or,
 * outside of a run, one of its own. Throws an error with the package to install if none is found.
 */
export async function launchBrowser(): Promise<Browser> {
  const shared = process.env[SHARED_BROWSER];
  const browser =
    shared === undefined
      ? await startBrowser((options) => chromium.launch(options))
      : await chromium.connect(await sharedEndpoint(shared));
  const { newContext } = browser;
  browser.newContext = async (options) => {
    const context = await newContext.call(browser, options);
    context.setDefaultTimeout(HANG_MS);
    const { close } = context;
    context.close = async (reason) => {
      await Promise.all(context.pages().map(comeToRest));
      await close.call(context, reason);
    };
    context.on('page', (page) => {
      const { close: closePage } = page;
      page.close = async (how) => {
        await comeToRest(page);
        await closePage.call(page, how);
      };
    });
    return context;
  };
  return browser;
}

/**
 * Chromium loses a close request during a navigation and never responds to it. So
 * navigate to an empty page first.
 */
async function comeToRest(page: Page): Promise<void> {
  if (page.isClosed() || page.url() === EMPTY) return;
  try {
    await page.goto(EMPTY);
  } catch (error) {
    // A navigation that the page itself started came first; that happens at most once.
    if (/interrupted by another navigation/.test(String(error))) await comeToRest(page);
  }
}

async function sharedEndpoint(url: string): Promise<string> {
  const response = await fetch(url);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}

/** Runs a start function of Playwright with the options that work on this machine. */
export async function startBrowser<Started>(
  start: (options: LaunchOptions) => Promise<Started>,
): Promise<Started> {
  const packaged = await unpackChromium();
  const plain = { executablePath: packaged.executable, args: ['--headless=shell', ...ARGS] };
  const env = { ...process.env, ...packaged.env } as Record<string, string>;
  try {
    return await start({ ...plain, env });
  } catch (error) {
    const system = SYSTEM.find((path) => existsSync(path));
    if (system !== undefined) return start({ executablePath: system, args: ARGS });
    const missing = installLibraries();
    if (missing === null) return start({ ...plain, env });
    throw new Error(
      `Chromium did not start. Install what it needs (apt-get install ${DEBIAN_LIBRARIES.join(' ')}) or Chromium itself, then run the tests again. ${missing}`,
      { cause: error },
    );
  }
}

interface Packaged {
  executable: string;
  env: Record<string, string>;
}

async function unpackChromium(): Promise<Packaged> {
  const require = createRequire(import.meta.url);
  const bin = join(dirname(require.resolve('@sparticuz/chromium')), '..', 'bin');
  const cache = join(root, 'node_modules', '.cache', 'chromium');
  const libraries = join(cache, 'al2023', 'lib');
  if (!existsSync(join(cache, 'complete'))) {
    const work = `${cache}.${process.pid}`;
    mkdirSync(work, { recursive: true });
    await decompress(join(bin, 'chromium.br'), join(work, 'chromium'));
    chmodSync(join(work, 'chromium'), 0o755);
    for (const [archive, into] of [
      ['al2023.tar', 'al2023'],
      ['swiftshader.tar', '.'],
      ['fonts.tar', 'fonts'],
    ] as const) {
      await decompress(join(bin, `${archive}.br`), join(work, archive));
      mkdirSync(join(work, into), { recursive: true });
      const tar = spawnSync('tar', ['-xf', join(work, archive), '-C', join(work, into)]);
      if (tar.status !== 0) throw new Error(`cannot unpack ${archive}: ${tar.stderr}`);
    }
    writeFileSync(join(work, 'complete'), '');
    rmSync(cache, { recursive: true, force: true });
    renameSync(work, cache);
  }
  const executable = join(cache, 'chromium');
  return { executable, env: needsLibraries(executable) ? { LD_LIBRARY_PATH: libraries } : {} };
}

async function decompress(from: string, to: string): Promise<void> {
  await pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(to));
}

function needsLibraries(executable: string): boolean {
  const ldd = spawnSync('ldd', [executable], { encoding: 'utf8' });
  return ldd.status !== 0 || ldd.stdout.includes('not found');
}

/** Null when the libraries were installed, else why not. */
function installLibraries(): string | null {
  if (process.getuid?.() !== 0) return 'Only root can install them here.';
  if (!existsSync('/usr/bin/apt-get')) return 'This is no Debian system.';
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', ['update'], { env });
  const install = spawnSync('apt-get', ['install', '-y', '--no-install-recommends', ...DEBIAN_LIBRARIES], {
    env,
    encoding: 'utf8',
  });
  return install.status === 0 ? null : install.stderr.trim().split('\n').slice(-3).join(' ');
}
