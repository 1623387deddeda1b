/**
 * Time from the save of a page to the changed text in a real browser, under `offprint dev`.
 *
 *   node bench/dev.ts [--pages 1000] [--saves 40] [--corpus ../shared/bench]
 *
 * Needs the corpus generator (gen.mjs, docs-json.mjs, seeds.json) and Chromium. Each save adds a paragraph to the page
 * that is shown; a MutationObserver notes when it is there. Browser and command share the machine.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { launchBrowser } from '../test/support/browser.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '1000' },
    saves: { type: 'string', default: '40' },
    corpus: { type: 'string', default: join(root, '..', 'shared', 'bench') },
  },
});
const corpus = resolve(values.corpus);
if (!existsSync(join(corpus, 'gen.mjs'))) {
  process.stderr.write(`bench: no corpus generator in ${corpus}; name it with --corpus\n`);
  process.exit(1);
}

const work = mkdtempSync(join(tmpdir(), 'offprint-bench-'));
const docs = join(work, 'docs');
const call = (script: string, args: string[]): void => {
  const child = spawnSync(process.execPath, [join(corpus, script), ...args], { encoding: 'utf8' });
  if (child.status !== 0) throw new Error(child.stderr);
};
call('gen.mjs', [
  '--seeds',
  join(corpus, 'seeds.json'),
  '--pages',
  values.pages,
  '--out',
  docs,
  '--ext',
  'mdx',
]);
call('docs-json.mjs', [docs]);
const path = firstPage(JSON.parse(readFileSync(join(docs, 'docs.json'), 'utf8')).navigation);
const file = join(docs, `${path}.mdx`);

function firstPage(node: unknown): string | null {
  if (typeof node === 'string') return node === 'index' ? null : node;
  if (typeof node !== 'object' || node === null) return null;
  for (const child of Object.values(node)) {
    const found =
      typeof child === 'object' ? firstPage(child) : Array.isArray(node) ? firstPage(child) : null;
    if (found !== null) return found;
  }
  return null;
}

const server = spawn(
  process.execPath,
  [join(root, 'apps/cli/bin/offprint.mjs'), 'dev', docs, '--port', '0', '--json'],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
const browser = await launchBrowser();
try {
  const url = await new Promise<string>((done) => {
    server.stdout.once('data', (data: Buffer) => done(JSON.parse(String(data)).url));
  });
  const page = await browser.newPage();
  await page.goto(url + path);
  await page.waitForTimeout(1000);
  await page.evaluate(`
    window.seen = new Map();
    new MutationObserver(() => {
      for (const [mark] of document.getElementById('content').textContent.matchAll(/saved-\\d+-times/g))
        if (!seen.has(mark)) seen.set(mark, performance.timeOrigin + performance.now());
    }).observe(document, { subtree: true, childList: true, characterData: true });
  `);
  const text = readFileSync(file, 'utf8');
  const times: number[] = [];
  for (let save = 1; save <= Number(values.saves); save++) {
    const mark = `saved-${save}-times`;
    const before = performance.timeOrigin + performance.now();
    writeFileSync(file, `${text}\n\n${mark}\n`);
    let after: unknown = null;
    while (after === null) {
      await page.waitForTimeout(30);
      after = await page.evaluate(`window.seen?.get('${mark}') ?? null`);
    }
    times.push(Number(after) - before);
    await page.waitForTimeout(250);
  }
  times.sort((a, b) => a - b);
  const at = (part: number): string =>
    times[Math.min(times.length - 1, Math.floor(times.length * part))]!.toFixed(0);
  process.stdout.write(
    `${values.pages} pages, ${times.length} saves: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, most ${at(1)} ms\n`,
  );
} finally {
  await browser.close();
  server.kill('SIGTERM');
  rmSync(work, { recursive: true, force: true });
}
