import { projectSourceInput } from '@offprint/contract';
import { expect, test } from 'vitest';
import { cleanDraft, draftFaults, EMPTY_DRAFT, sourceInput } from './source-draft.ts';

test('a page of a forge with a token in it becomes a source that the API takes', () => {
  const { draft, notes } = cleanDraft({
    ...EMPTY_DRAFT,
    address: 'https://me:ghp_secret@github.com/acme/docs/tree/main/site',
  });
  expect(draftFaults(draft)).toEqual({});
  const input = sourceInput(draft);
  expect(input).toEqual({
    kind: 'git',
    repository: 'https://github.com/acme/docs.git',
    branch: 'main',
    folder: 'site',
    credential: { kind: 'token', username: 'me', token: 'ghp_secret' },
  });
  expect(projectSourceInput.safeParse(input).success).toBe(true);
  expect(notes.join(' ')).not.toContain('ghp_secret');
});

test('a stored credential is kept by leaving it out, and removed by null', () => {
  const draft = { ...EMPTY_DRAFT, address: 'https://git.example.com/a/b.git', folder: './docs/' };
  expect(sourceInput({ ...draft, access: 'stored' })).not.toHaveProperty('credential');
  expect(sourceInput({ ...draft, access: 'none' })).toMatchObject({ credential: null, folder: 'docs' });
});

test('an SSH URL requires a key, and a public key is not accepted as the private key', () => {
  const { draft } = cleanDraft({ ...EMPTY_DRAFT, address: 'git@github.com:acme/docs.git' });
  expect(draft.access).toBe('ssh-key');
  expect(draftFaults({ ...draft, privateKey: 'ssh-ed25519 AAAA me' }).privateKey).toMatch(/public key/);
  expect(draftFaults({ ...draft, access: 'token', token: 'x' }).token).toMatch(/https/);
});

test('a key that the server will make is asked for with an ssh address only, and nothing is sent for it', () => {
  const draft = { ...EMPTY_DRAFT, address: 'git@github.com:acme/docs.git', access: 'made-key' as const };
  expect(draftFaults(cleanDraft(draft).draft)).toEqual({});
  expect(sourceInput(draft)).not.toHaveProperty('credential');
  expect(cleanDraft({ ...draft, address: 'https://github.com/acme/docs' }).draft.access).toBe('none');
});
