/**
 * CPU time and memory of `offprint export` on API descriptions: public ones in a folder, and generated ones of which only
 * the number of operations differs.
 *
 *   node bench/reference.ts [--openapi FOLDER] [--files github.json,openai.yaml,stripe.json] [--operations 2000,5000]
 *                           [--runs 3]
 *
 * Prints the fastest of the runs, each in a new process. A generated operation has about 10 kB: parameters, a body, three
 * responses with named schemas that refer to others, and examples.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({
  options: {
    openapi: { type: 'string' },
    files: { type: 'string', default: 'github.json,openai.yaml,stripe.json' },
    operations: { type: 'string', default: '2000,5000' },
    runs: { type: 'string', default: '3' },
  },
});

/** Numbers that look random and are the same in every run. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const random = seeded(11);
const WORDS = Array.from({ length: 1500 }, () =>
  Array.from({ length: 2 + random(3) }, () => 'bcdfglmnprst'[random(12)]! + 'aeiou'[random(5)]!).join(''),
);
const word = (): string => WORDS[Math.min(random(WORDS.length), random(WORDS.length))]!;
const sentence = (): string => `${Array.from({ length: 5 + random(12) }, word).join(' ')}.`;
const named = <T>(count: number, make: (at: number) => T): Record<string, T> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${word()}_${at}`, make(at)]));

const TYPES = ['string', 'integer', 'boolean', 'number'];
const field = () => ({ type: TYPES[random(4)], description: sentence(), example: word() });
const reference = (schemas: number) => ({ $ref: `#/components/schemas/Model${random(schemas)}` });

function operation(at: number, schemas: number): object {
  const body = { type: 'object', properties: { ...named(24, field), nested: reference(schemas) } };
  const response = (description: string, schema: object) => ({
    description,
    content: { 'application/json': { schema, example: named(30, word) } },
  });
  return {
    operationId: `operation${at}`,
    summary: `${word()} ${word()} ${at}`,
    description: Array.from({ length: 4 }, sentence).join('\n\n'),
    tags: [`group-${at % 60}`],
    parameters: Array.from({ length: 8 }, (_, index) => ({
      name: `${word()}_${index}`,
      in: ['query', 'header'][index % 2],
      description: sentence(),
      schema: field(),
    })),
    requestBody: { content: { 'application/json': { schema: body, example: named(30, word) } } },
    responses: {
      200: response('Done.', reference(schemas)),
      400: response('Invalid.', reference(20)),
      404: response('Missing.', reference(20)),
    },
  };
}

function generate(operations: number): object {
  const schemas = Math.ceil(operations / 4);
  return {
    openapi: '3.1.0',
    info: { title: 'Generated', version: '1' },
    servers: [{ url: 'https://api.example.com' }],
    paths: Object.fromEntries(
      Array.from({ length: operations }, (_, at) => [
        `/v1/${word()}/${word()}/${at}`,
        { [['get', 'post', 'put'][at % 3]!]: operation(at, schemas) },
      ]),
    ),
    components: {
      schemas: Object.fromEntries(
        Array.from({ length: schemas }, (_, at) => [
          `Model${at}`,
          {
            type: 'object',
            description: sentence(),
            properties: { ...named(16, field), one: reference(schemas), other: reference(schemas) },
          },
        ]),
      ),
    },
  };
}

interface Run {
  cpu: number;
  wall: number;
  memory: number;
}

function measure(folder: string): Run {
  const bundle = join(folder, '..', 'bundle.tar.gz');
  rmSync(bundle, { force: true });
  const command = ['apps/cli/bin/offprint.mjs', 'export', folder, '--no-cache', '-o', bundle];
  const { stderr } = spawnSync('/usr/bin/time', ['-f', '%U %S %e %M', process.execPath, ...command], {
    cwd: root,
    encoding: 'utf8',
  });
  const [user = 0, system = 0, wall = 0, memory = 0] = stderr
    .trim()
    .split('\n')
    .at(-1)!
    .split(' ')
    .map(Number);
  if (!existsSync(bundle)) throw new Error(`The export failed: ${stderr}`);
  return { cpu: user + system, wall, memory: memory / 1024 };
}

function report(name: string, prepare: (site: string) => string): void {
  const work = mkdtempSync(join(tmpdir(), 'offprint-bench-'));
  const site = join(work, 'site');
  mkdirSync(site);
  const file = prepare(site);
  const navigation = {
    tabs: [
      { tab: 'Home', pages: ['index'] },
      { tab: 'API', openapi: file },
    ],
  };
  writeFileSync(join(site, 'docs.json'), JSON.stringify({ name, navigation }));
  writeFileSync(join(site, 'index.mdx'), '---\ntitle: Home\n---\n\nHome.\n');
  const runs = Array.from({ length: Number(values.runs) }, () => measure(site));
  const best = runs.reduce((least, run) => (run.cpu < least.cpu ? run : least));
  const megabytes = (path: string) => (statSync(path).size / 1e6).toFixed(1);
  console.log(
    `| ${name} | ${megabytes(join(site, file))} | ${best.cpu.toFixed(1)} | ${best.wall.toFixed(1)} | ${best.memory.toFixed(0)} | ${megabytes(join(work, 'bundle.tar.gz'))} |`,
  );
  rmSync(work, { recursive: true, force: true });
}

console.log('| description | MB | CPU s | wall s | peak RSS MB | bundle MB |');
console.log('| --- | ---: | ---: | ---: | ---: | ---: |');
if (values.openapi !== undefined) {
  const folder = resolve(values.openapi);
  for (const name of values.files.split(',')) {
    report(name, (site) => {
      const file = `api${extname(name)}`;
      copyFileSync(join(folder, name), join(site, file));
      return file;
    });
  }
}
for (const operations of values.operations.split(',').filter((one) => one !== '')) {
  report(`${operations} operations`, (site) => {
    writeFileSync(join(site, 'api.json'), JSON.stringify(generate(Number(operations))));
    return 'api.json';
  });
}
