// `npm run release -- 0.2.0` writes the version and the changelog, commits and tags. Pushing the tag starts
// .github/workflows/release.yml, which runs `npm run release -- --publish`: packages, images and chart.
// `--dry-run` prints everything that both would do, and changes nothing.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './setup.mjs';

const USAGE = 'npm run release -- [VERSION] [--publish] [--registry HOST/OWNER] [--dry-run]';
const VERSION = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;
const PLATFORMS = 'linux/amd64,linux/arm64';
const DATABASE = 'apps/server/src/platform/db';
const UNRELEASED = '## Unreleased\n';

const read = (path) => readFileSync(join(root, path), 'utf8');
const { version: current, workspaces } = JSON.parse(read('package.json'));
const manifests = [
  'package.json',
  ...workspaces.map((folder) => `${folder}/package.json`),
  'package-lock.json',
];

/** Files whose text holds the version, with their text for another one. */
function versionEdits(version) {
  const json = manifests.map((path) => [
    path,
    withVersion(read(path), path === 'package-lock.json', version),
  ]);
  const chart = read('deploy/helm/offprint/Chart.yaml')
    .replace(/^version: .*$/m, `version: ${version}`)
    .replace(/^appVersion: .*$/m, `appVersion: "${version}"`);
  const compose = read('deploy/compose.yaml').replaceAll(
    /(_IMAGE:-offprint(?:-site)?):[^}]+/g,
    (_, image) => `${image}:${version}`,
  );
  return [
    ...json,
    ['deploy/helm/offprint/Chart.yaml', chart],
    ['deploy/compose.yaml', compose],
    [`${DATABASE}/released-migrations.json`, releasedMigrations()],
  ];
}

/** The digest of every migration: from now on, databases have them. */
function releasedMigrations() {
  const names = readdirSync(join(root, DATABASE, 'migrations')).sort();
  const digest = (name) =>
    createHash('sha256')
      .update(read(`${DATABASE}/migrations/${name}`))
      .digest('hex');
  return `${JSON.stringify(Object.fromEntries(names.map((name) => [name, digest(name)])), null, 2)}\n`;
}

function withVersion(text, isLock, version) {
  const manifest = JSON.parse(text);
  const all = isLock
    ? [
        manifest,
        ...Object.entries(manifest.packages)
          .filter(isOurs)
          .map(([, each]) => each),
      ]
    : [manifest];
  for (const each of all) {
    if (each.version !== undefined) each.version = version;
    for (const name of Object.keys(each.dependencies ?? {})) {
      if (name.startsWith('@offprint/')) each.dependencies[name] = version;
    }
  }
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

const isOurs = ([path]) => path === '' || workspaces.includes(path);

/** What the changelog says of this release. */
function releaseNotes(changelog, version) {
  const heading = changelog.includes(`\n## ${version} `) ? `## ${version} ` : UNRELEASED;
  const from = changelog.indexOf(heading);
  if (from === -1) fail('CHANGELOG.md has no section "## Unreleased". Add it with one line for each change.');
  const start = changelog.indexOf('\n', from) + 1;
  const end = changelog.indexOf('\n## ', start);
  const notes = changelog.slice(start, end === -1 ? undefined : end).trim();
  if (notes === '')
    fail('The section "## Unreleased" of CHANGELOG.md is empty. Add one line for each change.');
  return notes;
}

function prepareCommands(version) {
  return [
    ['git', 'add', '--update'],
    ['git', 'commit', '--message', `release: version ${version}`],
    ['git', 'tag', '--annotate', `v${version}`, '--message', `Offprint ${version}`],
  ];
}

function publishCommands(version, registry) {
  const image = (target, name) => [
    ...['docker', 'buildx', 'build', '--file', 'deploy/docker/Dockerfile', '--target', target],
    ...['--platform', PLATFORMS, '--sbom=true', '--provenance=mode=max', '--push'],
    ...['--tag', `${registry}/${name}:${version}`, '.'],
  ];
  const tag = version.includes('-') ? 'next' : 'latest';
  return [
    [process.execPath, 'scripts/build.mjs'],
    ...['client', 'site', 'offprint'].map((name) => [
      ...['npm', 'publish', `./dist/packages/${name}`, '--provenance', '--access', 'public', '--tag', tag],
    ]),
    image('site', 'offprint-site'),
    image('platform', 'offprint'),
    [
      'helm',
      'package',
      'deploy/helm/offprint',
      '--version',
      version,
      '--app-version',
      version,
      '--destination',
      'dist',
    ],
    ['helm', 'push', `dist/offprint-${version}.tgz`, `oci://${registry}/charts`],
  ];
}

function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) fail(`git ${args.join(' ')} failed: ${stderr.trim()}`);
  return stdout.trim();
}

function execute(commands, isDryRun) {
  for (const [program, ...args] of commands) {
    process.stdout.write(`$ ${[program, ...args].map(quoted).join(' ')}\n`);
    if (isDryRun) continue;
    const { status } = spawnSync(program, args, { cwd: root, stdio: 'inherit' });
    if (status !== 0)
      fail(`${program} failed with exit code ${status}. Fix the cause and run the command again.`);
  }
}

const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

function fail(message) {
  process.stderr.write(`release: ${message}\n`);
  process.exit(1);
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        publish: { type: 'boolean', default: false },
        registry: { type: 'string', default: 'ghcr.io/offprint' },
        'dry-run': { type: 'boolean', default: false },
      },
    });
    if (positionals.length > 1) throw new Error(`one version, not ${positionals.length}`);
    return { ...values, isDryRun: values['dry-run'], asked: positionals[0] };
  } catch (error) {
    return fail(`${error.message}\nUsage: ${USAGE}`);
  }
}

/** Refuses a tree that would give an invalid release; a dry run lists the reasons and continues. */
function checkTree(version, publish, isDryRun) {
  const problems = [];
  if (git('status', '--porcelain') !== '')
    problems.push('the working tree has changes that are not committed');
  const isTagged = git('tag', '--list', `v${version}`) !== '';
  if (
    publish &&
    git('tag', '--points-at', 'HEAD')
      .split('\n')
      .every((tag) => tag !== `v${version}`)
  )
    problems.push(`HEAD does not have the tag v${version}`);
  if (!publish && isTagged) problems.push(`the tag v${version} exists; give the next version`);
  for (const problem of problems) process.stderr.write(`release: ${problem}\n`);
  if (problems.length > 0 && !isDryRun) process.exit(1);
}

const { asked, publish, registry, isDryRun } = readArguments();
const version = asked ?? current;
if (!VERSION.test(version))
  fail(`"${version}" is not a version. Use three numbers, such as 0.2.0.\nUsage: ${USAGE}`);
if (publish && version !== current)
  fail(`package.json has the version ${current}, not ${version}. Publish without a version.`);
checkTree(version, publish, isDryRun);

const changelog = read('CHANGELOG.md');
process.stdout.write(`Offprint ${version}\n\n${releaseNotes(changelog, version)}\n\n`);
if (!publish) {
  const date = new Date().toISOString().slice(0, 10);
  const dated = changelog.replace(UNRELEASED, `${UNRELEASED}\n## ${version} (${date})\n`);
  const edits = [...versionEdits(version), ['CHANGELOG.md', dated]].filter(
    ([path, text]) => text !== read(path),
  );
  for (const [path, text] of edits) {
    process.stdout.write(`write ${path}\n`);
    if (!isDryRun) writeFileSync(join(root, path), text);
  }
  execute(prepareCommands(version), isDryRun);
}
if (publish || isDryRun) execute(publishCommands(version, registry), isDryRun);
else process.stdout.write(`Push the commit and the tag to publish: git push --follow-tags\n`);
