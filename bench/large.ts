/**
 * CPU time and memory of `offprint export` on generated sites with many navigations: what an export costs per page must
 * not depend on how many pages and navigations there are.
 *
 *   node bench/large.ts [--pages 5000,25000] [--versions 35] [--languages 4] [--paragraphs 1] [--keep FOLDER]
 *                       [--profile]
 *
 * Pages are small unless `--paragraphs` asks for more text, and each language of each version has its own navigation of tabs, groups and nested groups. Pages
 * link to each other, to other versions and to headings of pages that come later; one link in a hundred leads to no
 * heading. Memory is the sum of the process tree, sampled ten times a second. `--keep` leaves the docs and the bundle
 * in that folder; `--profile` writes a CPU profile there.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '5000,25000' },
    versions: { type: 'string', default: '35' },
    languages: { type: 'string', default: '4' },
    paragraphs: { type: 'string', default: '1' },
    keep: { type: 'string' },
    profile: { type: 'boolean', default: false },
  },
});
const LANGUAGES = ['en', 'es', 'ja', 'de', 'fr', 'ko', 'it', 'nl', 'pl', 'sv', 'tr', 'uk'];
const GROUP = 12;

interface Size {
  pages: number;
  versions: number;
  languages: number;
}

/** Numbers that look random and are the same in every run. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function writeSite(folder: string, { pages, versions, languages }: Size): void {
  const random = seeded(7);
  const words = Array.from({ length: 2000 }, () =>
    Array.from({ length: 2 + random(3) }, () => 'bcdfglmnprst'[random(12)]! + 'aeiou'[random(5)]!).join(''),
  );
  const word = (): string => words[Math.min(random(words.length), random(words.length))]!;
  const sentence = (): string => `${Array.from({ length: 6 + random(10) }, word).join(' ')}.`;
  const own = Math.ceil(pages / (versions * languages));
  const pathOf = (n: number): string => {
    const group = Math.floor(n / GROUP);
    return `part-${group}/page-${n}`;
  };
  const headingOf = (n: number): string => `Settings of part ${n % 97}`;
  const text = (base: string, n: number, version: number): string => {
    const link = (): string => {
      const to = random(own);
      const kind = random(100);
      if (kind === 0) return `/${base}/${pathOf(to)}#no-such-heading`;
      if (kind < 8) return `/${base}/${pathOf(to)}#settings-of-part-${to % 97}`;
      if (kind < 10) return `/${base}/${pathOf(to)}#Settings_of_part_${to % 97}`;
      if (kind < 14) return `/${base.replace(/v\d+/, `v${random(versions)}`)}/${pathOf(to)}`;
      return `/${base}/${pathOf(to)}`;
    };
    const paragraph = (): string => `${sentence()} See [${word()}](${link()}). ${sentence()}`;
    return [
      `---\ntitle: ${word()} ${word()} ${n}\ndescription: ${sentence()}\n---`,
      paragraph(),
      `## ${headingOf(n)}`,
      paragraph(),
      `\`\`\`bash\n${word()} --${word()} v${version}\n\`\`\``,
      `## ${word()} ${word()}`,
      `- ${sentence()}\n- ${sentence()}`,
      ...Array.from({ length: Number(values.paragraphs) }, paragraph),
      '',
    ].join('\n\n');
  };
  const navigation = (base: string): object[] => {
    const groups = Array.from({ length: Math.ceil(own / GROUP) }, (_, group) => ({
      group: `Part ${group}`,
      pages: Array.from({ length: Math.min(GROUP, own - group * GROUP) }, (_unused, n) => {
        return `${base}/${pathOf(group * GROUP + n)}`;
      }),
    }));
    const half = Math.ceil(groups.length / 2);
    return [
      { tab: 'Guides', groups: groups.slice(0, half) },
      { tab: 'Reference', groups: [{ group: 'All', pages: groups.slice(half) }] },
    ];
  };
  const sections = LANGUAGES.slice(0, languages).map((language) => ({
    language,
    versions: Array.from({ length: versions }, (_, version) => {
      const base = `${language}/v${version}`;
      for (let n = 0; n < own; n++) {
        const file = join(folder, base, `${pathOf(n)}.mdx`);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, text(base, n, version));
      }
      return { version: `v${version}`, tabs: navigation(base) };
    }),
  }));
  const config = {
    theme: 'mint',
    name: 'Bench',
    colors: { primary: '#2563ea' },
    navigation: { languages: sections },
  };
  writeFileSync(join(folder, 'docs.json'), JSON.stringify(config, null, 1));
}

interface Cost {
  cpu: number;
  rssMb: number;
  wall: number;
}

/** Memory of a process and all below it, in MB. */
function treeMemory(pid: number): number {
  const children = new Map<number, number[]>();
  const sizes = new Map<number, number>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const parent = Number(fields[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
      sizes.set(Number(entry), (Number(fields[21]) * 4096) / 2 ** 20);
    } catch {
      // The process ended in the meantime.
    }
  }
  const sum = (one: number): number =>
    (children.get(one) ?? []).reduce((total, child) => total + sum(child), sizes.get(one) ?? 0);
  return sum(pid);
}

async function exportSite(docs: string, bundle: string, folder: string): Promise<Cost> {
  const program = join(root, 'apps/cli/bin/offprint.mjs');
  const flags = values.profile ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : [];
  const report = join(folder, 'time');
  const args = ['-o', report, '-f', '%e %U %S', process.execPath, ...flags, program];
  const child = spawn('/usr/bin/time', [...args, 'export', docs, '--no-cache', '-o', bundle], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let rssMb = 0;
  const timer = setInterval(() => {
    if (child.pid !== undefined) rssMb = Math.max(rssMb, treeMemory(child.pid));
  }, 100);
  const [code] = await once(child, 'exit');
  clearInterval(timer);
  if (code !== 0) throw new Error(`the export of ${docs} exited with ${code}`);
  const [wall = 0, user = 0, system = 0] = readFileSync(report, 'utf8').trim().split(' ').map(Number);
  return { cpu: user + system, rssMb, wall };
}

const rows: string[] = [];
const versions = Number(values.versions);
const languages = Number(values.languages);
for (const pages of values.pages.split(',').map(Number)) {
  const work = mkdtempSync(join(tmpdir(), 'offprint-bench-'));
  const kept = values.keep === undefined ? work : join(resolve(values.keep), String(pages));
  try {
    const docs = join(kept, 'docs');
    mkdirSync(docs, { recursive: true });
    writeSite(docs, { pages, versions, languages });
    const bundle = join(kept, 'site.tar.gz');
    const { cpu, rssMb, wall } = await exportSite(docs, bundle, kept);
    const digest = createHash('sha256').update(readFileSync(bundle)).digest('hex').slice(0, 12);
    const size = statSync(bundle).size / 1e6;
    const cells = [pages, versions * languages, cpu.toFixed(1), ((cpu * 1000) / pages).toFixed(2)];
    const rest = [rssMb.toFixed(0), ((rssMb * 1024) / pages).toFixed(1), wall.toFixed(1), size.toFixed(1)];
    rows.push(`| ${[...cells, ...rest, digest].join(' | ')} |`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

process.stdout.write(
  [
    `${cpus().length} cores (${cpus()[0]?.model}), Node ${process.versions.node}`,
    '',
    '| pages | navigations | CPU s | CPU ms per page | peak memory MB | kB per page | wall s | bundle MB | digest |',
    '| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |',
    ...rows,
    '',
  ].join('\n'),
);
