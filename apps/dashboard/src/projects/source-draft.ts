import type { Project, ProjectSourceInput } from '@offprint/contract';
import { type ForgeName, forgeOf, hostOf, parseRepositoryAddress, splitTree } from './repository-address.ts';

/**
 * How the server signs in to the Git host. `stored`: as before, with the credential that is there. `made-key`: with
 * a key that the server makes once the project is there.
 */
export type Access = 'none' | 'stored' | 'token' | 'ssh-key' | 'made-key';

/** A Git source as entered in the form. */
export interface GitDraft {
  address: string;
  branch: string;
  folder: string;
  access: Access;
  username: string;
  token: string;
  privateKey: string;
  knownHosts: string;
}

export const EMPTY_DRAFT: GitDraft = {
  address: '',
  branch: '',
  folder: '',
  access: 'none',
  username: '',
  token: '',
  privateKey: '',
  knownHosts: '',
};

/** The form of a project that is there. */
export function draftOf(source: Extract<Project['source'], { kind: 'git' }>): GitDraft {
  return {
    ...EMPTY_DRAFT,
    address: source.repository,
    branch: source.branch ?? '',
    folder: source.folder,
    access: source.hasCredential ? 'stored' : 'none',
  };
}

/** What the form derives from the URL in it. */
export function draftForge(draft: GitDraft): { isSsh: boolean; forge: ForgeName | null } {
  const address = parseRepositoryAddress(draft.address);
  const host = address?.host ?? hostOf(draft.address);
  return { isSsh: address?.transport === 'ssh', forge: forgeOf(host) };
}

/**
 * The form after the address field was left: a page of a forge becomes repository, branch and folder, a token
 * in the address moves into its field. `notes` say what was done.
 */
export function cleanDraft(draft: GitDraft): { draft: GitDraft; notes: string[] } {
  const address = parseRepositoryAddress(draft.address);
  if (address === null) return { draft, notes: [] };
  const next = { ...draft, address: address.repository };
  const notes: string[] = [];
  const tree = splitTree(address);
  if (tree !== null) {
    next.branch = tree.branch;
    next.folder = tree.folder;
    notes.push(
      `Branch ${tree.branch}${tree.folder === '' ? '' : ` and folder ${tree.folder}`} read from the URL.`,
    );
  }
  if (address.credential !== null) {
    next.access = 'token';
    next.username = address.credential.username;
    next.token = address.credential.token;
    notes.push('The token was moved from the URL into its own field.');
  }
  if (address.transport === 'ssh' && (next.access === 'none' || next.access === 'token'))
    next.access = 'ssh-key';
  if (address.transport !== 'ssh' && (next.access === 'ssh-key' || next.access === 'made-key'))
    next.access = 'none';
  return { draft: next, notes };
}

/** Errors of the form by field, before anything is sent. */
export function draftFaults(draft: GitDraft): Partial<Record<keyof GitDraft, string>> {
  const faults: Partial<Record<keyof GitDraft, string>> = {};
  const text = draft.address.trim();
  const address = parseRepositoryAddress(text);
  if (text === '') faults.address = 'Enter the URL of the repository.';
  else if (address === null)
    faults.address =
      'Invalid repository URL. Use a URL such as https://github.com/acme/docs or git@github.com:acme/docs.git.';
  if (draft.access === 'token' && draft.token.trim() === '') faults.token = 'Enter the token.';
  if (draft.access === 'ssh-key' && !/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(draft.privateKey))
    faults.privateKey = /^\s*(ssh-|ecdsa-)/.test(draft.privateKey)
      ? 'This is the public key. Paste the private key, which starts with -----BEGIN.'
      : 'Paste the complete private key, including the line -----BEGIN.';
  if (address !== null && address.transport === 'ssh' && draft.access === 'token')
    faults.token = 'An ssh URL needs a key. To use a token, enter the https URL.';
  return faults;
}

/** What is sent for a Git source. Left-out credentials are kept by the server, null removes them. */
export function sourceInput(draft: GitDraft): Extract<ProjectSourceInput, { kind: 'git' }> {
  const repository = parseRepositoryAddress(draft.address)?.repository ?? draft.address.trim();
  const branch = draft.branch.trim();
  const folder = draft.folder.trim().replace(/^(?:\.?\/)+|\/+$/g, '');
  return {
    kind: 'git',
    repository,
    ...(branch === '' ? {} : { branch }),
    ...(folder === '' || folder === '.' ? {} : { folder }),
    ...credentialOf(draft),
  };
}

function credentialOf(draft: GitDraft): Pick<Extract<ProjectSourceInput, { kind: 'git' }>, 'credential'> {
  switch (draft.access) {
    case 'stored':
    case 'made-key':
      return {};
    case 'none':
      return { credential: null };
    case 'token': {
      const username = draft.username.trim();
      const token = draft.token.trim();
      return { credential: { kind: 'token', token, ...(username === '' ? {} : { username }) } };
    }
    case 'ssh-key': {
      const knownHosts = draft.knownHosts.trim();
      const privateKey = `${draft.privateKey.trim()}\n`;
      return { credential: { kind: 'ssh-key', privateKey, ...(knownHosts === '' ? {} : { knownHosts }) } };
    }
  }
}

/** The fields of the form that a `param` of the API refers to. */
export const DRAFT_PARAMS: Readonly<Record<keyof GitDraft, string>> = {
  address: '/source/repository',
  branch: '/source/branch',
  folder: '/source/folder',
  access: '/source/credential',
  username: '/source/credential/username',
  token: '/source/credential/token',
  privateKey: '/source/credential/privateKey',
  knownHosts: '/source/credential/knownHosts',
};
