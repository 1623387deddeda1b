/**
 * Lighthouse, mobile, on ten pages of exported docs sites.
 *
 *   node bench/lighthouse.ts [--corpora ../shared/corpora] [--pages 10] [--site NAME/page.html ...] [--variants webp]
 *
 * With --variants, the sites ask for variants of images. With --site, only the sites that it names are exported.
 * Lighthouse is fetched from the npm registry in a version of its own, as nothing else needs it. The pages come from a
 * plain static host with gzip and the headers that the bundle asks for. The performance score depends on the
 * machine: read it on a quiet one.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, extname, join, normalize, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { directorySource, renderSite, type SourceTree } from '@offprint/render';
import { localEncoder } from '@offprint/server/local-encoder';

const LIGHTHOUSE = 'lighthouse@13.5.0';
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const;
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.xml': 'application/xml',
};

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({
  options: {
    corpora: { type: 'string', default: join(root, '..', 'shared', 'corpora') },
    pages: { type: 'string', default: '10' },
    site: { type: 'string', multiple: true, default: [] },
    variants: { type: 'string' },
  },
});

const corpora = resolve(values.corpora);
if (!existsSync(corpora)) {
  process.stderr.write(
    `bench: no folder ${corpora}; name one with a docs site in each folder by --corpora\n`,
  );
  process.exit(1);
}

/** The source with the option of --variants in its configuration. */
function withVariants(source: SourceTree): SourceTree {
  const { variants } = values;
  if (variants === undefined) return source;
  const file = source.has('docs.json') ? 'docs.json' : 'mint.json';
  const config = { ...JSON.parse(source.readText(file)), images: { variants } };
  return { ...source, readText: (path) => (path === file ? JSON.stringify(config) : source.readText(path)) };
}

/** Renders a docs folder to files; resolves with its ordinary pages, in order. */
async function exportFolder(folder: string, into: string): Promise<string[]> {
  const pages: string[] = [];
  const source = withVariants(directorySource(folder));
  await renderSite({
    source,
    siteUrl: 'https://docs.example.com',
    openEncoder: localEncoder({ source, work: `${into}-encoder`, cache: null }),
    emit(path, content) {
      const file = join(into, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      const isPage = path.endsWith('.html') && path !== '404.html' && !path.startsWith('_offprint/');
      if (isPage && !String(content).includes('http-equiv="refresh"')) pages.push(path);
    },
  });
  return pages.sort();
}

function serve(folder: string): Promise<{ url: string; stop(): void }> {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname));
    const file = join(folder, path);
    if (!file.startsWith(folder) || !statSync(file, { throwIfNoEntry: false })?.isFile()) {
      response.writeHead(404).end();
      return;
    }
    const site = path.split('/')[1] ?? '';
    const policy = /Content-Security-Policy:\s*(.+)/i.exec(
      readFileSync(join(folder, site, '_headers'), 'utf8'),
    )?.[1];
    const content = readFileSync(file);
    const isText = /\.(html|css|js|svg|txt|xml)$/.test(file);
    response.writeHead(200, {
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
      'cache-control': path.includes('/_offprint/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      ...(policy === undefined || file.endsWith('.svg') ? {} : { 'content-security-policy': policy }),
      ...(isText ? { 'content-encoding': 'gzip' } : {}),
    });
    response.end(isText ? gzipSync(content) : content);
  });
  return new Promise((done) =>
    server.listen(0, '127.0.0.1', () =>
      done({
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        stop: () => void server.close(),
      }),
    ),
  );
}

interface Report {
  categories: Record<string, { score: number | null }>;
  audits: Record<
    string,
    {
      score: number | null;
      displayValue?: string;
      title: string;
      details?: { items?: { transferSize?: number; resourceType?: string }[] };
    }
  >;
}

/** The report of one page, created in another process: this process runs the server, so it must not block. */
async function measure(url: string, work: string): Promise<Report> {
  const report = join(work, 'report.json');
  const args = ['exec', '--yes', `--package=${LIGHTHOUSE}`, '--', 'lighthouse', url];
  const flags = [
    '--quiet',
    '--output=json',
    `--output-path=${report}`,
    `--only-categories=${CATEGORIES.join(',')}`,
    '--chrome-flags=--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync',
  ];
  const code = await new Promise<number | null>((done) => {
    const child = spawn('npm', [...args, ...flags], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { CHROME_PATH: '/usr/bin/chromium', ...process.env },
    });
    child.on('close', done);
  });
  if (code !== 0) throw new Error(`lighthouse ended with ${code} on ${url}`);
  return JSON.parse(readFileSync(report, 'utf8')) as Report;
}

const work = mkdtempSync(join(tmpdir(), 'offprint-lighthouse-'));
const wanted: string[] = [...values.site];
try {
  spawnSync('npm', ['exec', '--yes', `--package=${LIGHTHOUSE}`, '--', 'lighthouse', '--version']);
  const isWanted = (site: string) =>
    wanted.length === 0 || wanted.some((path) => path.startsWith(`${site}/`));
  const sites = readdirSync(corpora).sort().filter(isWanted);
  const perSite = Math.ceil(Number(values.pages) / sites.length);
  for (const site of sites) {
    const pages = await exportFolder(join(corpora, site), join(work, site));
    const step = Math.max(1, Math.floor(pages.length / (perSite + 1)));
    if (values.site.length === 0)
      for (let n = 1; n <= perSite; n++)
        wanted.push(`${site}/${pages[Math.min(n * step, pages.length - 1)]}`);
  }
  const server = await serve(work);
  const rows: string[] = [];
  for (const path of wanted.slice(0, Math.max(Number(values.pages), values.site.length))) {
    const report = await measure(`${server.url}/${path.split('/').map(encodeURIComponent).join('/')}`, work);
    const scores = CATEGORIES.map((name) => Math.round((report.categories[name]?.score ?? 0) * 100));
    const requests = report.audits['network-requests']?.details?.items ?? [];
    const kinds = requests.filter(({ resourceType }) =>
      ['Document', 'Stylesheet', 'Script'].includes(resourceType ?? ''),
    );
    const bytes = kinds.reduce((sum, { transferSize }) => sum + (transferSize ?? 0), 0);
    const images = requests.filter(({ resourceType }) => resourceType === 'Image');
    const imageBytes = images.reduce((sum, { transferSize }) => sum + (transferSize ?? 0), 0);
    const allBytes = requests.reduce((sum, { transferSize }) => sum + (transferSize ?? 0), 0);
    const fonts = requests.filter(({ resourceType }) => resourceType === 'Font');
    const fontBytes = fonts.reduce((sum, { transferSize }) => sum + (transferSize ?? 0), 0);
    const paint = report.audits['largest-contentful-paint']?.displayValue ?? '';
    const interactive = report.audits.interactive?.displayValue ?? '';
    const shift = report.audits['cumulative-layout-shift']?.displayValue ?? '';
    rows.push(
      `| ${path} | ${scores.join(' | ')} | ${paint} | ${interactive} | ${shift} | ${requests.length} | ${kinds.length} | ${fonts.length} | ${images.length} | ${(bytes / 1000).toFixed(1)} | ${(fontBytes / 1000).toFixed(1)} | ${(imageBytes / 1000).toFixed(1)} | ${(allBytes / 1000).toFixed(1)} |`,
    );
    process.stderr.write(`${rows.at(-1)}\n`);
    for (const [id, audit] of Object.entries(report.audits))
      if (audit.score !== null && audit.score < 0.9 && process.env.VERBOSE)
        process.stderr.write(`  ${id}: ${audit.title} ${audit.displayValue ?? ''}\n`);
  }
  server.stop();
  process.stdout.write(
    `| page | performance | accessibility | best practices | SEO | LCP | interactive | CLS | requests | HTML, CSS, JS | fonts | images | kB of HTML, CSS, JS (gzip) | of fonts | of images | of all |\n| --- |${' ---: |'.repeat(15)}\n${rows.join('\n')}\n`,
  );
} finally {
  rmSync(work, { recursive: true, force: true });
}
