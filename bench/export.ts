/**
 * Wall time, CPU time and peak memory of `offprint export` beside Hugo on the same generated pages.
 *
 *   node bench/export.ts [--pages 1000,10000] [--runs 3] [--corpus ../shared/bench]
 *
 * Needs the corpus generator (gen.mjs, docs-json.mjs, seeds.json, hugo/), /usr/bin/time and, for the comparison,
 * hugo. The commands run in turn (A B A B), each in a fresh process with no earlier output and no
 * cache of contents (the compiled code of the program itself is kept between runs); the table
 * gives medians. Hugo writes files and a JSON index; Offprint writes one compressed bundle.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '1000,10000' },
    runs: { type: 'string', default: '3' },
    corpus: { type: 'string', default: join(root, '..', 'shared', 'bench') },
  },
});
const corpus = resolve(values.corpus);
const runs = Number(values.runs);

interface Sample {
  wall: number;
  cpu: number;
  rssMb: number;
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

function call(command: string, args: string[], cwd = root): string {
  const child = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 1e9 });
  if (child.status !== 0) fail(`${command} ${args.join(' ')}\n${child.error?.message ?? child.stderr}`);
  return child.stdout;
}

/** One fresh process, by the kernel's own account of it. */
function measure(command: string, args: string[], cwd: string, report: string): Sample {
  call('/usr/bin/time', ['-o', report, '-f', '%e %U %S %M', command, ...args], cwd);
  const [wall, user, system, kb] = readFileSync(report, 'utf8').trim().split(' ').map(Number);
  return { wall: wall!, cpu: user! + system!, rssMb: kb! / 1024 };
}

function median(samples: Sample[], key: keyof Sample): number {
  const sorted = samples.map((sample) => sample[key]).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

if (!existsSync('/usr/bin/time')) fail('bench: /usr/bin/time is missing (Debian package time)');
if (!existsSync(join(corpus, 'gen.mjs')))
  fail(`bench: no corpus generator in ${corpus}; name it with --corpus`);
const hugoVersion = spawnSync('hugo', ['version'], { encoding: 'utf8' }).stdout?.match(/v\d+\.\d+\.\d+/)?.[0];
if (hugoVersion === undefined) process.stderr.write('bench: hugo is not installed, its column stays empty\n');

const rows: string[] = [];
for (const pages of values.pages.split(',').map(Number)) {
  const work = mkdtempSync(join(tmpdir(), 'offprint-bench-'));
  try {
    const docs = join(work, 'docs');
    const gen = [join(corpus, 'gen.mjs'), '--seeds', join(corpus, 'seeds.json'), '--pages', `${pages}`];
    call(process.execPath, [...gen, '--out', docs, '--ext', 'mdx']);
    call(process.execPath, [join(corpus, 'docs-json.mjs'), docs]);
    const site = join(work, 'hugo');
    if (hugoVersion !== undefined) {
      cpSync(join(corpus, 'hugo'), site, { recursive: true });
      call('chmod', ['-R', 'u+w', site]);
      call(process.execPath, [...gen, '--out', join(site, 'content'), '--ext', 'md', '--index', '_index']);
      mkdirSync(join(site, 'data'), { recursive: true });
      cpSync(join(site, 'content.nav.json'), join(site, 'data', 'nav.json'));
    }
    const bundle = join(work, 'site.tar.gz');
    const samples = { offprint: [] as Sample[], hugo: [] as Sample[] };
    for (let run = 0; run < runs; run++) {
      rmSync(bundle, { force: true });
      const args = [join(root, 'apps/cli/bin/offprint.mjs'), 'export', docs, '--no-cache', '-o', bundle];
      samples.offprint.push(measure(process.execPath, args, work, join(work, 'time')));
      if (hugoVersion === undefined) continue;
      for (const output of ['public', 'resources', '.hugo_build.lock']) {
        rmSync(join(site, output), { recursive: true, force: true });
      }
      samples.hugo.push(measure('hugo', ['--quiet'], site, join(work, 'time')));
    }
    const cells = (list: Sample[]) =>
      list.length === 0
        ? ['-', '-', '-']
        : [median(list, 'wall').toFixed(2), median(list, 'cpu').toFixed(2), median(list, 'rssMb').toFixed(0)];
    const ratio = (key: keyof Sample) =>
      samples.hugo.length === 0
        ? '-'
        : (median(samples.offprint, key) / median(samples.hugo, key)).toFixed(2);
    const size = (statSync(bundle).size / 1e6).toFixed(1);
    rows.push(
      `| ${[pages, 'offprint export', ...cells(samples.offprint), size].join(' | ')} |`,
      `| ${[pages, `hugo ${hugoVersion ?? ''}`, ...cells(samples.hugo), ''].join(' | ')} |`,
      `| ${[pages, 'ratio', ratio('wall'), ratio('cpu'), ratio('rssMb'), ''].join(' | ')} |`,
    );
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

process.stdout.write(
  [
    `${cpus().length} cores (${cpus()[0]?.model}), Node ${process.versions.node}, medians of ${runs} runs in turn`,
    '',
    '| pages | command | wall s | CPU s | peak RSS MB | bundle MB |',
    '| ---: | --- | ---: | ---: | ---: | ---: |',
    ...rows,
    '',
  ].join('\n'),
);
