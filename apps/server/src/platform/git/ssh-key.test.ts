import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newSshKey } from './ssh-key.ts';

const hasSsh = spawnSync('ssh-keygen', ['-?']).error === undefined;

test.skipIf(!hasSsh)(`ssh reads a key that was made${hasSsh ? '' : ': no ssh-keygen here'}`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'offprint-ssh-key-'));
  try {
    for (const comment of ['offprint', 'offprint prj_0a1b', 'x', 'four', '']) {
      const { privateKey, publicKey } = newSshKey(comment);
      const file = join(folder, `key-${comment.length}`);
      await writeFile(file, privateKey, { mode: 0o600 });
      expect(execFileSync('ssh-keygen', ['-y', '-f', file], { encoding: 'utf8' }).trim()).toBe(
        publicKey.trim(),
      );
      await writeFile(`${file}.pub`, `${publicKey}\n`);
      expect(execFileSync('ssh-keygen', ['-l', '-f', `${file}.pub`], { encoding: 'utf8' })).toMatch(
        /^256 .*ED25519/,
      );
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('no two keys are the same', () => {
  expect(newSshKey('x').privateKey).not.toBe(newSshKey('x').privateKey);
});
