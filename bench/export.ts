/**
 * Wall time, CPU time and peak memory of `offprint export` beside Hugo on the same generated pages, with the goals.
 *
 *   npm run bench -- [--pages 1000,10000] [--runs 3] [--corpus ../shared/bench] [--package] [--profile]
 *
 * Needs the corpus generator (gen.mjs, docs-json.mjs, seeds.json, hugo/), /usr/bin/time and, for the comparison,
 * hugo. The commands run in turn (A B A B), each in a fresh process with no earlier output; the table gives medians.
 * Compiled code of the program is kept between runs, contents only for edited and unchanged docs. Hugo writes files and a
 * JSON index; Offprint writes one compressed bundle. `--package` measures the compiled package (`npm run build`), as
 * users run it, instead of the sources; `--profile` adds where the time goes in an export by the sources.
 */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { profileTable } from './profile.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '1000,10000' },
    runs: { type: 'string', default: '3' },
    corpus: { type: 'string', default: join(root, '..', 'shared', 'bench') },
    package: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
  },
});
const corpus = resolve(values.corpus);
const runs = Number(values.runs);
const sources = join(root, 'apps/cli/bin/offprint.mjs');
const program = values.package ? join(root, 'dist/packages/offprint/dist/offprint.mjs') : sources;

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
if (!existsSync(program)) fail(`bench: ${program} is missing; run npm run build`);
const hugoVersion = spawnSync('hugo', ['version'], { encoding: 'utf8' }).stdout?.match(/v\d+\.\d+\.\d+/)?.[0];
if (hugoVersion === undefined) process.stderr.write('bench: hugo is not installed, its column stays empty\n');

interface Folders {
  work: string;
  docs: string;
  hugo: string;
}

/** Writes the pages for both programs. */
function generate(pages: number, work: string): Folders {
  const folders = { work, docs: join(work, 'docs'), hugo: join(work, 'hugo') };
  const gen = [join(corpus, 'gen.mjs'), '--seeds', join(corpus, 'seeds.json'), '--pages', `${pages}`];
  call(process.execPath, [...gen, '--out', folders.docs, '--ext', 'mdx']);
  call(process.execPath, [join(corpus, 'docs-json.mjs'), folders.docs]);
  if (hugoVersion === undefined) return folders;
  cpSync(join(corpus, 'hugo'), folders.hugo, { recursive: true });
  call('chmod', ['-R', 'u+w', folders.hugo]);
  call(process.execPath, [
    ...gen,
    '--out',
    join(folders.hugo, 'content'),
    '--ext',
    'md',
    '--index',
    '_index',
  ]);
  mkdirSync(join(folders.hugo, 'data'), { recursive: true });
  cpSync(join(folders.hugo, 'content.nav.json'), join(folders.hugo, 'data', 'nav.json'));
  return folders;
}

const exportArgs = ({ docs, work }: Folders, ...options: string[]): string[] => [
  'export',
  docs,
  '-o',
  join(work, 'site.tar.gz'),
  ...options,
];

/** What is measured: its name, how it is run, and the goals as shares of the times of Hugo and in MB. */
interface Work {
  name: string;
  run(folders: Folders): Sample;
  goals(pages: number): { wall?: number; cpu?: number; rssMb?: number };
}

const works: readonly Work[] = [
  {
    name: 'cold',
    run: (folders) => offprint(folders, '--no-cache'),
    goals: (pages) =>
      pages < 5000 ? { wall: 0.45, cpu: 0.42, rssMb: 350 } : { wall: 0.28, cpu: 0.3, rssMb: 600 },
  },
  {
    name: 'one page edited',
    run(folders) {
      appendFileSync(join(folders.docs, firstPage(folders.docs)), '\nOne more paragraph.\n');
      return offprint(folders);
    },
    goals: (pages) => (pages < 5000 ? { wall: 0.1, cpu: 0.1 } : { wall: 0.05 }),
  },
  {
    name: 'one title edited',
    run(folders) {
      editFile(join(folders.docs, firstPage(folders.docs)), /^title:.*$/m, (n) => `title: "Title ${n}"`);
      return offprint(folders);
    },
    goals: () => ({}),
  },
  {
    name: 'name of the site edited',
    run(folders) {
      editFile(join(folders.docs, 'docs.json'), /"name": *"[^"]*"/, (n) => `"name": "Site ${n}"`);
      return offprint(folders);
    },
    goals: () => ({}),
  },
  {
    name: 'one page added',
    run(folders) {
      const folder = dirname(join(folders.docs, firstPage(folders.docs)));
      addedPage = join(folder, `added-${++edits}.mdx`);
      writeFileSync(addedPage, `---\ntitle: Added ${edits}\n---\n\nText.\n`);
      return offprint(folders);
    },
    goals: () => ({}),
  },
  {
    name: 'that page removed',
    run(folders) {
      rmSync(addedPage);
      return offprint(folders);
    },
    goals: () => ({}),
  },
  {
    name: 'one image added',
    run(folders) {
      writeFileSync(join(folders.docs, 'added.png'), `image ${++edits}`);
      return offprint(folders);
    },
    goals: () => ({}),
  },
  { name: 'nothing changed', run: (folders) => offprint(folders), goals: () => ({ wall: 0.05 }) },
];

let edits = 0;
let addedPage = '';

/** Replaces a text of a file by one that it did not have before. */
function editFile(file: string, text: RegExp, make: (edit: number) => string): void {
  const content = readFileSync(file, 'utf8');
  if (!text.test(content)) fail(`bench: ${file} does not contain ${text}`);
  writeFileSync(file, content.replace(text, make(++edits)));
}

function offprint(folders: Folders, ...options: string[]): Sample {
  rmSync(join(folders.work, 'site.tar.gz'), { force: true });
  process.env.XDG_CACHE_HOME = join(folders.work, 'cache');
  return measure(
    process.execPath,
    [program, ...exportArgs(folders, ...options)],
    folders.work,
    join(folders.work, 'time'),
  );
}

function hugo({ hugo: site, work }: Folders): Sample {
  for (const output of ['public', 'resources', '.hugo_build.lock']) {
    rmSync(join(site, output), { recursive: true, force: true });
  }
  return measure('hugo', ['--quiet'], site, join(work, 'time'));
}

function firstPage(docs: string): string {
  const [page] = readdirSync(docs, { recursive: true })
    .map(String)
    .filter((path) => path.endsWith('.mdx'))
    .sort();
  return page ?? fail('bench: the generator wrote no page');
}

function cells(list: Sample[]): string[] {
  if (list.length === 0) return ['-', '-', '-'];
  return [median(list, 'wall').toFixed(2), median(list, 'cpu').toFixed(2), median(list, 'rssMb').toFixed(0)];
}

/** Share of the median of Hugo, with the goal behind it. */
function share(list: Sample[], others: Sample[], key: 'wall' | 'cpu', goal: number | undefined): string {
  if (others.length === 0) return '-';
  const ratio = (median(list, key) / median(others, key)).toFixed(2);
  return goal === undefined ? ratio : `${ratio} (${goal.toFixed(2)})`;
}

function measurePages(pages: number): { rows: string[]; profile: string[] } {
  const work = mkdtempSync(join(tmpdir(), 'offprint-bench-'));
  try {
    const folders = generate(pages, work);
    const samples = works.map((): Sample[] => []);
    const others: Sample[] = [];
    for (let run = 0; run < runs; run++) {
      for (const [at, one] of works.entries()) samples[at]!.push(one.run(folders));
      if (hugoVersion !== undefined) others.push(hugo(folders));
    }
    const rows = works.map((one, at) => {
      const list = samples[at]!;
      const goals = one.goals(pages);
      const [wall, cpu, rss] = cells(list);
      const memory = goals.rssMb === undefined ? rss : `${rss} (${goals.rssMb})`;
      const ratios = [share(list, others, 'wall', goals.wall), share(list, others, 'cpu', goals.cpu)];
      return `| ${[pages, `offprint, ${one.name}`, wall, ratios[0], cpu, ratios[1], memory].join(' | ')} |`;
    });
    const [wall, cpu, rss] = cells(others);
    rows.push(`| ${[pages, `hugo ${hugoVersion ?? ''}`, wall, '', cpu, '', rss].join(' | ')} |`);
    const size = (statSync(join(work, 'site.tar.gz')).size / 1e6).toFixed(1);
    process.stderr.write(`bench: ${pages} pages, bundle of ${size} MB\n`);
    const profile = values.profile ? profileTable([sources, ...exportArgs(folders, '--no-cache')], work) : [];
    return { rows, profile: profile.length === 0 ? [] : ['', `${pages} pages:`, '', ...profile] };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const measured = values.pages.split(',').map((pages) => measurePages(Number(pages)));
process.stdout.write(
  [
    `${cpus().length} cores (${cpus()[0]?.model}), Node ${process.versions.node}, medians of ${runs} runs in turn`,
    '',
    '| pages | command | wall s | of Hugo (goal) | CPU s | of Hugo (goal) | peak RSS MB (goal) |',
    '| ---: | --- | ---: | ---: | ---: | ---: | ---: |',
    ...measured.flatMap(({ rows }) => rows),
    ...measured.flatMap(({ profile }) => profile),
    '',
  ].join('\n'),
);
