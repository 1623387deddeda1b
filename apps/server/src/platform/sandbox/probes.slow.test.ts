import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { asOrdinaryUser, CONTAINER_USER, inContainer, withoutLandlock } from '../../../test/container.ts';
import type { ProbeReport } from '../../../test/probe-run.ts';
import { PROBES } from '../../../test/probes.ts';
import { runChild } from './run-child.ts';

const RUN = fileURLToPath(new URL('../../../test/probe-run.ts', import.meta.url));
const isRoot = process.getuid?.() === 0;

async function reportOf([program = '', ...args]: readonly string[]): Promise<ProbeReport> {
  const { stdout } = await promisify(execFile)(program, args, {
    env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', OFFPRINT_SECRET: 'canary-4917' },
    maxBuffer: 10_000_000,
  });
  return JSON.parse(stdout) as ProbeReport;
}

const PLACES = [
  { place: 'in a container', words: inContainer([RUN]), isContainer: true, isPrivileged: false },
  {
    place: 'on a host by an ordinary user',
    words: asOrdinaryUser([RUN]),
    isContainer: false,
    isPrivileged: false,
  },
  {
    place: 'on a host by the user of the tests',
    words: [process.execPath, '--no-warnings', RUN],
    isContainer: false,
    isPrivileged: isRoot,
  },
];

test.skipIf(process.platform !== 'linux')(
  'a render process that starts thousands of threads is ended',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'offprint-threads-'));
    const work = runChild({
      module: fileURLToPath(new URL('../../../test/probe-child.ts', import.meta.url)),
      input: 'threads',
      readable: [],
      writable: folder,
      limits: { cpuMs: 300_000, wallMs: 600_000, memoryMb: 256, outputBytes: 1_000_000 },
      signal: new AbortController().signal,
      onMessage: () => undefined,
    });
    await expect(work).rejects.toMatchObject({ fault: 'crashed', message: /started more than \d+ threads/ });
    rmSync(folder, { recursive: true });
  },
);

describe.skipIf(process.platform !== 'linux')('required isolation', () => {
  const report = fileURLToPath(new URL('./report.ts', import.meta.url));
  const script = `const { isolationFacts, requireIsolation } = await import(${JSON.stringify(report)});
    const refused = await requireIsolation().then(() => null, (error) => error.name + ': ' + error.message);
    process.stdout.write(JSON.stringify({ facts: await isolationFacts(), refused }));`;
  const run = async ([program = '', ...args]: readonly string[]) =>
    JSON.parse((await promisify(execFile)(program, args)).stdout) as {
      facts: object;
      refused: string | null;
    };
  const args = ['--input-type=module', '-e', script];

  test('a container meets it', async () => {
    expect(await run(inContainer(args))).toMatchObject({ refused: null });
  });

  test('a container on a system without Landlock does not, and the error names what is missing', async () => {
    const { facts, refused } = await run(withoutLandlock(args));
    expect(facts).toMatchObject({ files: [], network: [], processes: [], systemCalls: [] });
    expect(refused).toMatch(/^StartError: OFFPRINT_SANDBOX is `required`.*\(files, network, processes\)/);
    expect(refused).toContain('namespaces: this process may not create them');
    expect(refused).toContain('Landlock: the kernel does not offer Landlock');
    expect(refused).toContain('OFFPRINT_SANDBOX=preferred');
  });
});

// Landlock and seccomp are parts of Linux.
describe.skipIf(process.platform !== 'linux').each(PLACES)(
  '$place',
  ({ words, isContainer, isPrivileged }) => {
    test('no probe succeeds from a render process, and without isolation each does', async () => {
      const { user, facts, control, isolated, noticed, environmentIsOpen } = await reportOf(words);

      if (isRoot) expect(user).toBe(isPrivileged ? 0 : CONTAINER_USER);
      expect(facts).toMatchObject({ systemCalls: ['seccomp'] });
      expect(facts.files).toContain('Landlock');
      if (isContainer)
        expect([facts.files, facts.network, facts.processes]).toEqual([
          ['Landlock'],
          ['seccomp'],
          ['seccomp'],
        ]);

      const names = [...PROBES.keys()];
      expect(Object.keys(isolated)).toEqual(names);
      expect(names.length).toBeGreaterThanOrEqual(45);
      expect(names.filter((name) => isolated[name] === 'done')).toEqual([]);
      expect(noticed).toEqual([]);

      const works = names.filter((name) => {
        const { privileged = false, namespaces = false } = PROBES.get(name) ?? {};
        return (isPrivileged || !privileged) && !(isContainer && namespaces);
      });
      expect(works.filter((name) => control[name] !== 'done').map((name) => [name, control[name]])).toEqual(
        [],
      );

      // Root may read every process.
      if (user !== 0) expect(environmentIsOpen).toBe(false);
    });
  },
);
