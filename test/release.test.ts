import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from './support/shell.ts';

const folder = mkdtempSync(join(tmpdir(), 'offprint-release-'));
const clone = join(folder, 'clone');
const git = (...args: string[]): string =>
  execFileSync('git', ['-C', clone, '-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
    encoding: 'utf8',
  }).trim();
const release = (...args: string[]) =>
  spawnSync(process.execPath, ['scripts/release.mjs', ...args], {
    cwd: clone,
    encoding: 'utf8',
    env: {
      ...process.env,
      GIT_AUTHOR_NAME: 'Test',
      GIT_AUTHOR_EMAIL: 'test@example.com',
      GIT_COMMITTER_NAME: 'Test',
      GIT_COMMITTER_EMAIL: 'test@example.com',
    },
  });

beforeAll(() => {
  execFileSync('git', ['clone', '--quiet', ROOT, clone]);
  for (const path of [
    'scripts/release.mjs',
    'scripts/setup.mjs',
    'scripts/launch.mjs',
    'package.json',
    'CHANGELOG.md',
  ])
    copyFileSync(join(ROOT, path), join(clone, path));
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '--message', 'test: the state of this checkout');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('npm run release', () => {
  test('--dry-run prints notes and every command, and changes nothing', () => {
    const before = git('rev-parse', 'HEAD');
    const { status, stdout, stderr } = release('9.8.7', '--dry-run', '--registry', 'registry.example/acme');
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout).toContain('Offprint 9.8.7\n');
    expect(stdout).toContain('Static export');
    const commands = stdout.split('\n').filter((line) => line.startsWith('$ '));
    for (const name of ['offprint', 'site', 'client']) {
      expect(commands).toContainEqual(
        expect.stringContaining(
          `npm publish ./dist/packages/${name} --provenance --access public --tag latest`,
        ),
      );
    }
    for (const image of ['offprint', 'offprint-site']) {
      expect(commands).toContainEqual(
        expect.stringMatching(
          new RegExp(
            `docker buildx build .*--sbom=true --provenance=mode=max .*registry.example/acme/${image}:9.8.7 `,
          ),
        ),
      );
    }
    expect(commands.at(-1)).toBe('$ helm push dist/offprint-9.8.7.tgz oci://registry.example/acme/charts');
    expect([git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('tag')]).toEqual([before, '', '']);
  });

  test('a prerelease is published under the tag next', () => {
    expect(release('9.8.7-rc.1', '--dry-run').stdout).toContain('--tag next');
  });

  test('refuses a version that is not one, and a tree with changes', () => {
    expect(release('nine')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('"nine" is not a version'),
    });
    const file = join(clone, 'README.md');
    writeFileSync(file, 'changed');
    try {
      expect(release('9.8.7')).toMatchObject({ status: 1, stderr: expect.stringContaining('not committed') });
    } finally {
      git('checkout', '--quiet', 'README.md');
    }
  });

  test('refuses to publish a commit without the tag of its version', () => {
    expect(release('--publish')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('HEAD does not have the tag'),
    });
  });

  test('writes one version everywhere, dates the changelog, commits and tags', () => {
    const { version: before } = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8')) as {
      version: string;
    };
    const { status, stderr } = release('9.8.7');
    expect(status, stderr).toBe(0);
    expect(git('status', '--porcelain')).toBe('');
    expect(git('tag', '--points-at', 'HEAD')).toBe('v9.8.7');
    const changed = git('show', '--name-only', '--format=', 'HEAD').split('\n');
    for (const path of changed.filter((each) => each.endsWith('package.json'))) {
      const manifest = JSON.parse(readFileSync(join(clone, path), 'utf8')) as Record<string, unknown>;
      expect(manifest.version, path).toBe('9.8.7');
      expect(JSON.stringify(manifest), path).not.toMatch(new RegExp(`"@offprint/\\w+":"${before}"`));
    }
    expect(changed).toEqual(
      expect.arrayContaining(['package-lock.json', 'deploy/helm/offprint/Chart.yaml', 'deploy/compose.yaml']),
    );
    expect(readFileSync(join(clone, 'CHANGELOG.md'), 'utf8')).toMatch(
      /## Unreleased\n\n## 9\.8\.7 \(\d{4}-\d\d-\d\d\)\n\n/,
    );
    const chart = parse(readFileSync(join(clone, 'deploy/helm/offprint/Chart.yaml'), 'utf8')) as object;
    expect(chart).toMatchObject({ version: '9.8.7', appVersion: '9.8.7' });
  });
});

interface Workflow {
  on: unknown;
  jobs: Record<
    string,
    { 'runs-on': string; 'timeout-minutes': number; steps: { uses?: string; run?: string }[] }
  >;
}

describe('workflow files', () => {
  const directory = join(ROOT, '.github/workflows');
  const workflows = readdirSync(directory).map(
    (name) => [name, parse(readFileSync(join(directory, name), 'utf8')) as Workflow] as const,
  );
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };

  test.each(workflows)(
    '%s pins every action, limits every job and runs scripts that exist',
    (_name, { jobs }) => {
      for (const [name, job] of Object.entries(jobs)) {
        expect(job['timeout-minutes'], name).toBeGreaterThan(0);
        for (const { uses, run } of job.steps) {
          if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@v\d+\.\d+\.\d+$/);
          for (const [, script = ''] of (run ?? '').matchAll(/npm run ([\w:-]+)/g))
            expect(Object.keys(scripts)).toContain(script);
        }
      }
    },
  );

  test('tests, packages, images and the chart are built for every change', () => {
    const ci = workflows.find(([name]) => name === 'ci.yml')?.[1];
    expect(Object.keys(ci?.jobs ?? {})).toEqual(expect.arrayContaining(['test', 'pack', 'images', 'chart']));
  });
});
