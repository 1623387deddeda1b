import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../../../test/support/free-port.ts';
import { type GitServer, startGitServer } from '../../../../../test/support/git-server.ts';
import { withAccess } from './credential.ts';
import { DEFAULT_GIT_LIMITS, type GitCredential } from './policy.ts';
import { parseRepository } from './repository.ts';
import { snapshotRepository } from './snapshot.ts';

const SSHD = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', process.env.OFFPRINT_TEST_SSHD ?? ''].find(
  (path) => path !== '' && existsSync(path),
);
const POLICY = { allowPrivate: true, allowedHosts: [], allowHttp: [] };

let work: string;
beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), "offprint ssh's-"));
});
afterAll(() => rm(work, { recursive: true, force: true }));

test('the key is in a separate file, the name is pinned to the checked address, and nothing stays', async () => {
  const repository = parseRepository('git@forge.example.com:org/repo.git', POLICY);
  const credential: GitCredential = { kind: 'ssh-key', privateKey: 'the-private-key' };
  const addresses = [{ address: '203.0.113.7', family: 4 }] as const;
  const knownHostsFile = join(work, 'known hosts');
  const seen = await withAccess(
    repository,
    addresses,
    credential,
    { ...POLICY, knownHostsFile },
    work,
    async (access) => {
      const [folder = ''] = (await readdir(work)).filter((name) => name.startsWith('access-'));
      const identity = join(work, folder, 'identity');
      expect(execFileSync('stat', ['-c', '%a', identity], { encoding: 'utf8' }).trim()).toBe('600');
      expect(await readFile(identity, 'utf8')).toBe('the-private-key\n');
      return access;
    },
  );
  const command = seen.environment.GIT_SSH_COMMAND ?? '';
  expect(command).not.toContain('the-private-key');
  // What a shell makes of it is what ssh gets.
  const words = execFileSync('sh', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' }).split('\n');
  expect(words).toEqual(
    expect.arrayContaining(['HostName=203.0.113.7', 'HostKeyAlias=forge.example.com', 'ProxyCommand=none']),
  );
  expect(words).toContain(`UserKnownHostsFile="${knownHostsFile}"`);
  expect((await readdir(work)).filter((name) => name.startsWith('access-'))).toEqual([]);
});

describe.skipIf(SSHD === undefined)(
  SSHD === undefined ? 'no sshd on this machine; OFFPRINT_TEST_SSHD names one' : 'against a real sshd',
  () => {
    let server: GitServer;
    let sshd: ChildProcess;
    let port: number;
    let key: string;
    const user = userInfo().username;

    beforeAll(async () => {
      server = await startGitServer();
      await server.commit('private.git', [{ path: 'docs/docs.json', content: '{}' }]);
      const folder = await mkdtemp(join(tmpdir(), 'offprint-sshd-'));
      for (const name of ['host', 'client']) {
        execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
      }
      key = await readFile(join(folder, 'client'), 'utf8');
      await writeFile(
        join(folder, 'authorized'),
        `restrict,command="${join(folder, 'serve')}" ${await readFile(join(folder, 'client.pub'), 'utf8')}`,
      );
      await writeFile(
        join(folder, 'serve'),
        `#!/bin/sh\nexport GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'\nexec git-shell -c "$SSH_ORIGINAL_COMMAND"\n`,
      );
      await chmod(join(folder, 'serve'), 0o755);
      if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true });
      port = await freePort();
      const options = {
        AuthorizedKeysFile: join(folder, 'authorized'),
        HostKey: join(folder, 'host'),
        ListenAddress: '127.0.0.1',
        LogLevel: 'ERROR',
        PidFile: 'none',
        Port: String(port),
        StrictModes: 'no',
        UsePAM: 'no',
      };
      const words = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
      sshd = spawn(SSHD ?? '', ['-D', '-f', '/dev/null', ...words], { stdio: 'ignore' });
      await untilOpen(port);
    });
    afterAll(async () => {
      sshd.kill('SIGKILL');
      await server.close();
    });

    const read = (credential: GitCredential | undefined, into: string, policy = {}) =>
      snapshotRepository({
        repository: `ssh://${user}@127.0.0.1:${port}${server.root}/private.git`,
        ref: null,
        folder: 'docs',
        into: join(work, into),
        policy: { ...POLICY, knownHostsFile: join(work, 'known_hosts'), ...policy },
        limits: { ...DEFAULT_GIT_LIMITS, timeoutMs: 240_000 },
        signal: new AbortController().signal,
        ...(credential === undefined ? {} : { credential }),
      });

    test('a key opens a private repository; its host key is kept and a changed one is refused', async () => {
      const result = await read({ kind: 'ssh-key', privateKey: key }, 'a');
      expect(result).toMatchObject({ files: 1, ref: 'main' });
      const known = await readFile(join(work, 'known_hosts'), 'utf8');
      expect(known).toContain(`[127.0.0.1]:${port} ssh-ed25519 `);
      expect((await readdir(work)).sort()).toEqual(['a', 'known_hosts']);
      const other = known.replace(
        /(AAAA[A-Za-z0-9+/]{40})(.{4})/,
        (_all, start: string, four: string) => start + (four === 'AAAA' ? 'BBBB' : 'AAAA'),
      );
      await writeFile(join(work, 'known_hosts'), other);
      await expect(read({ kind: 'ssh-key', privateKey: key }, 'b')).rejects.toMatchObject({
        code: 'host-refused',
      });
      await rm(join(work, 'known_hosts'));
      const pinned: GitCredential = { kind: 'ssh-key', privateKey: key, knownHosts: known };
      expect(await read(pinned, 'c')).toMatchObject({ files: 1 });
      await expect(read({ ...pinned, knownHosts: other }, 'd')).rejects.toMatchObject({
        code: 'host-refused',
      });
    });

    test('without a key, or with another, the error names the key', async () => {
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(work, 'stranger')]);
      const stranger = await readFile(join(work, 'stranger'), 'utf8');
      await expect(read(undefined, 'e')).rejects.toMatchObject({ code: 'auth' });
      await expect(read({ kind: 'ssh-key', privateKey: stranger }, 'f')).rejects.toMatchObject({
        code: 'auth',
      });
      const broken = await read({ kind: 'ssh-key', privateKey: 'no key' }, 'g').catch(
        (error: Error) => error,
      );
      expect(broken).toMatchObject({ code: 'auth' });
      expect(String(broken)).not.toContain(work);
    });
  },
);

async function untilOpen(port: number): Promise<void> {
  for (let tries = 0; tries < 2400; tries += 1) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('connect', () => resolve(socket.destroy() && true));
      socket.on('error', () => resolve(false));
    });
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('sshd did not start');
}
