import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '@offprint/bundle/make-folder';
import type { ConnectionTest, ProjectSourceInput } from '@offprint/contract';
import { counted } from '@offprint/contract/counted';
import type { Kysely } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import { createFairSlots, type FairSlotsOptions, NoSlotError } from '../platform/fair-slots.ts';
import { GitError } from '../platform/git/error.ts';
import { openRemote } from '../platform/git/open-remote.ts';
import type { GitCredential, GitLimits, GitPolicy } from '../platform/git/policy.ts';
import type { GitRemote, TreeEntry } from '../platform/git/remote.ts';
import { parseRepository } from '../platform/git/repository.ts';
import { AppError, notFound } from '../platform/http/error.ts';
import type { Reach } from '../platform/http/route.ts';
import { createSharedRateLimiter, type RateStore } from '../platform/http/shared-rate-limit.ts';
import type { Logger } from '../platform/log.ts';
import { ChildError } from '../platform/sandbox/child.ts';
import type { Sandbox } from '../platform/sandbox/sandbox.ts';
import type { ConfigAnswer } from './connection-child.ts';
import { nearNames } from './near-names.ts';
import { openCredential } from './source.ts';
import { findProject } from './store.ts';

export interface ConnectionAdapters {
  db: Kysely<Database>;
  /** Opens credentials. */
  credentialKey: Buffer;
  policy: GitPolicy;
  sandbox: Sandbox;
  /** Folder of the work folders, one for each test. */
  workDir: string;
  log: Logger;
  /** Counts tests for all processes; null: this one counts alone. */
  rates: RateStore | null;
  /** What one step may take of time and bytes; default 120 s. */
  limits?: GitLimits;
  /** Default: those of the product. */
  slots?: FairSlotsOptions;
}

/** Tries a Git source step by step. Throws the 400 for another kind, the 404 for the project, the 429 and the 503. */
export type TestConnection = (
  reach: Reach,
  request: { source: ProjectSourceInput; projectId?: string | undefined },
  signal: AbortSignal,
) => Promise<ConnectionTest>;

/** The server may be anybody's. The time limits are for one that hangs: what they end was not checked. */
const LIMITS: GitLimits = {
  transferBytes: 250_000_000,
  files: 100_000,
  fileBytes: 1_000_000,
  totalBytes: 60_000_000,
  timeoutMs: 120_000,
};
const TOTAL_MS = 240_000;
const CHILD_CPU_MS = 30_000;
const CHILD_MEMORY_MB = 512;
const SLOT_WAIT_MS = 30_000;
/** Larger files are neither pages nor configuration. */
const READ_BYTES = 500_000;

/**
 * Tests in this process. Organizations take turns, so that those whose servers never respond do not block the tests
 * of others; and tests of one organization per minute.
 */
export const SLOTS: FairSlotsOptions = {
  slots: 4,
  maxWaitingPerOwner: 2,
  maxWaiting: 100,
  maxWaitMs: 60_000,
  sliceMs: 55_000,
};
const PER_MINUTE = 10;

const MAX_BRANCHES = 100;
const MAX_FOLDERS = 20;

export function createConnectionTest(adapters: ConnectionAdapters): TestConnection {
  const perOrganization = createSharedRateLimiter({
    name: 'connection-test',
    perMinute: PER_MINUTE,
    store: adapters.rates,
  });
  const slots = createFairSlots(adapters.slots ?? SLOTS);

  return async (reach, { source, projectId }, signal) => {
    const { organizationId } = reach;
    if (source.kind !== 'git') {
      const message =
        'source.kind must be git: an upload and a folder have nothing to connect to. Create the project.';
      throw new AppError('invalid_request', message, { param: '/source/kind' });
    }
    const credential = await credentialFor(adapters, reach, source, projectId);
    const wait = await perOrganization.take(organizationId);
    if (wait > 0) throw tooMany(`At most ${PER_MINUTE} connection tests can run per minute.`, wait);
    return slots
      .run(organizationId, signal, (slice) => inOwnFolder(adapters, { source, credential, signal, slice }))
      .catch((error: unknown) => {
        throw error instanceof NoSlotError ? refusalOf(error) : error;
      });
  };
}

async function inOwnFolder(
  adapters: ConnectionAdapters,
  { slice, ...attempt }: Omit<Attempt, 'folder'> & { slice: AbortSignal },
): Promise<ConnectionTest> {
  const folder = join(adapters.workDir, `connection-${randomBytes(8).toString('hex')}`);
  try {
    return await tryGit(adapters, {
      ...attempt,
      folder,
      signal: AbortSignal.any([attempt.signal, slice, AbortSignal.timeout(TOTAL_MS)]),
    });
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch((error: unknown) =>
      adapters.log.warn({ err: error }, 'the work folder of a connection test could not be removed'),
    );
  }
}

function refusalOf({ reason }: NoSlotError): AppError {
  if (reason === 'owner-queue-full') {
    return tooMany(
      `One connection test of the organization is running and ${SLOTS.maxWaitingPerOwner} are waiting.`,
      30,
    );
  }
  return new AppError('unavailable', 'The server is busy with other connection tests. Try again in 30 s.', {
    headers: { 'Retry-After': '30' },
  });
}

function tooMany(why: string, seconds: number): AppError {
  return new AppError('rate_limited', `${why} Try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  });
}

type GitSource = Extract<ProjectSourceInput, { kind: 'git' }>;

/** The credential that is sent, else the stored one of the project, for the very repository that it is of. */
async function credentialFor(
  { db, credentialKey, policy }: ConnectionAdapters,
  { organizationId, projects }: Reach,
  source: GitSource,
  projectId: string | undefined,
): Promise<GitCredential | null> {
  const project = projectId === undefined ? null : await findProject(db, organizationId, projectId);
  const isReached = projectId === undefined || projects === null || projects.includes(projectId);
  if (project === undefined || !isReached) throw notFound('project');
  if (source.credential !== undefined) return source.credential;
  if (project === null || project.source_kind !== 'git') return null;
  try {
    const { url } = parseRepository(source.repository, policy);
    return project.repository === url ? openCredential(credentialKey, project) : null;
  } catch (error) {
    if (error instanceof GitError) return null;
    throw error;
  }
}

type StepName = ConnectionTest['steps'][number]['name'];

/** A step that failed or could not be checked, with the sentence for the person; later steps are not tried. */
class StepError extends Error {
  readonly step: StepName;
  readonly outcome: 'failed' | 'skipped';
  constructor(step: StepName, message: string, outcome: 'failed' | 'skipped' = 'failed') {
    super(message);
    this.step = step;
    this.outcome = outcome;
  }
}

/** Nothing is known of the step. */
const notChecked = (step: StepName, why: string): StepError =>
  new StepError(step, `Not checked: ${why}`, 'skipped');

interface Attempt {
  source: GitSource;
  credential: GitCredential | null;
  folder: string;
  signal: AbortSignal;
}

async function tryGit(adapters: ConnectionAdapters, attempt: Attempt): Promise<ConnectionTest> {
  const done = new Map<StepName, string>();
  const test: ConnectionTest = {
    ok: false,
    steps: [],
    commit: null,
    branch: null,
    branches: [],
    folders: [],
    siteName: null,
    pages: null,
  };
  let failure: StepError | null = null;
  try {
    await takeSteps(adapters, attempt, test, (step, message) => done.set(step, message));
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    failure = error;
  }
  const names: StepName[] = ['address', 'sign-in', 'branch', 'folder', 'config'];
  return {
    ...test,
    ok: failure === null,
    steps: names.map((name) => {
      if (failure?.step === name) return { name, outcome: failure.outcome, message: failure.message };
      const message = done.get(name);
      if (message !== undefined) return { name, outcome: 'ok', message };
      return { name, outcome: 'skipped', message: 'Not tried.' };
    }),
  };
}

const HTTP_WARNING =
  ' Warning: the connection is http, so code and credentials are sent unencrypted. Use https where the server has it.';

type Pass = (step: StepName, message: string) => void;

async function takeSteps(
  adapters: ConnectionAdapters,
  { source, credential, folder: work, signal }: Attempt,
  test: ConnectionTest,
  report: Pass,
): Promise<void> {
  const warning = /^http:/i.test(source.repository) ? HTTP_WARNING : '';
  const pass: Pass = (step, message) => report(step, step === 'address' ? message + warning : message);
  await makeFolder(work, 0o700);
  const remote = await at('address', signal, async () =>
    openRemote(
      {
        repository: source.repository,
        credential: async () => credential,
        policy: await forOneTest(adapters.policy, work),
        limits: adapters.limits ?? LIMITS,
        folder: work,
      },
      signal,
    ),
  );
  try {
    const branches = await listBranches(remote, credential, signal, pass);
    // also for callers who named one that does not exist
    test.branches = branches.slice(0, MAX_BRANCHES);
    const branch = await chooseBranch(remote, source.branch ?? null, branches, signal);
    test.branch = branch;
    test.branches = [branch, ...branches.filter((name) => name !== branch)].slice(0, MAX_BRANCHES);
    const { commit } = await at('branch', signal, () => remote.fetchCommit(branch, signal));
    test.commit = commit;
    pass('branch', `The branch ${branch} is at ${commit.slice(0, 12)}.`);
    const folder = source.folder ?? '';
    const names = await at('folder', signal, () => remote.listTree(commit, '', signal));
    test.folders = configFolders(names);
    requireFolder(names, folder, test.folders);
    pass(
      'folder',
      folder === '' ? 'The docs are at the root of the repository.' : `The folder ${folder} exists.`,
    );
    const { sandbox, log } = adapters;
    await readConfig(remote, { commit, folder, work, signal, sandbox, log }, test, pass);
  } finally {
    await remote.close();
  }
}

/** Host keys that a test meets are not kept: what was seen before counts, what is new is forgotten. */
async function forOneTest(policy: GitPolicy, work: string): Promise<GitPolicy> {
  if (policy.knownHostsFile === undefined) return policy;
  const knownHostsFile = join(work, 'known_hosts');
  await copyFile(policy.knownHostsFile, knownHostsFile).catch(() => undefined);
  return { ...policy, knownHostsFile };
}

/** Runs a part of the step. An error of Git fails the step; a limit of ours leaves it unchecked. */
async function at<Value>(step: StepName, signal: AbortSignal, run: () => Promise<Value>): Promise<Value> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof GitError && error.code === 'timeout')
      throw notChecked(step, `${error.message} ${RETRY}`);
    if (error instanceof GitError && error.code === 'too-large')
      throw notChecked(step, `${error.message} ${OWN_LIMIT}`);
    if (error instanceof GitError) throw new StepError(step, error.message);
    throw timedOut(step, signal) ?? error;
  }
}

const OWN_LIMIT = 'This is a limit of the connection test. An export has limits of its own.';
const RETRY = 'The Git server is slow, or this server is busy. Try again.';

function timedOut(step: StepName, { aborted, reason }: AbortSignal): StepError | null {
  if (!aborted || !(reason instanceof DOMException) || reason.name !== 'TimeoutError') return null;
  const limits = `${TOTAL_MS / 1000} s, or ${SLOTS.sliceMs / 1000} s while other organizations wait`;
  return notChecked(step, `the test took longer than ${limits}. ${RETRY}`);
}

async function listBranches(
  remote: GitRemote,
  credential: GitCredential | null,
  signal: AbortSignal,
  pass: Pass,
): Promise<string[]> {
  let found: Map<string, string>;
  try {
    found = await at('address', signal, async () => {
      try {
        return await remote.branches(signal);
      } catch (error) {
        if (!(error instanceof GitError) || !['auth', 'not-found', 'too-large'].includes(error.code))
          throw error;
        pass('address', 'The server responds.');
        throw new StepError(error.code === 'too-large' ? 'branch' : 'sign-in', error.message);
      }
    });
  } catch (error) {
    if (error instanceof StepError && error.step === 'branch') pass('sign-in', 'The repository exists.');
    throw error;
  }
  pass('address', 'The server responds as a Git server.');
  const how = credential === null ? 'without a credential' : 'with the credential';
  pass('sign-in', `The repository exists and can be read ${how}.`);
  return [...found.keys()].sort();
}

async function chooseBranch(
  remote: GitRemote,
  wanted: string | null,
  branches: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  if (branches.length === 0) {
    throw new StepError(
      'branch',
      'The server lists no branches: the repository is empty, or the URL is not the URL of a repository. Push a first commit that contains docs.json, or check the URL.',
    );
  }
  if (wanted === null) {
    const name = await at('branch', signal, () => remote.defaultBranch(signal));
    if (branches.includes(name)) return name;
    throw new StepError(
      'branch',
      `The default branch ${name} has no commits. Name one of ${some(branches)} as the branch.`,
    );
  }
  if (branches.includes(wanted)) return wanted;
  const near = nearNames(wanted, branches);
  const hint = near.length > 0 ? `Did you mean ${near.join(', ')}?` : `Its branches: ${some(branches)}.`;
  throw new StepError('branch', `The repository has no branch ${wanted}. ${hint}`);
}

const some = (names: readonly string[]): string =>
  names.length <= 5 ? names.join(', ') : `${names.slice(0, 5).join(', ')} and ${names.length - 5} more`;

/** Folders with a configuration at their root, the shortest paths first. */
function configFolders(entries: readonly TreeEntry[]): string[] {
  const found = entries.flatMap(({ kind, path }) => {
    const match = /^(?:(.*)\/)?(?:docs|mint)\.json$/.exec(path);
    if (kind !== 'file' || match === null || /(?:^|\/)node_modules\//.test(path)) return [];
    return [match[1] ?? ''];
  });
  const depth = (path: string): number => (path === '' ? 0 : path.split('/').length);
  return [...new Set(found)].sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1)).slice(0, MAX_FOLDERS);
}

function requireFolder(entries: readonly TreeEntry[], folder: string, configured: readonly string[]): void {
  if (folder === '' || entries.some(({ path }) => path.startsWith(`${folder}/`))) return;
  const isLink = entries.some(({ path, kind }) => path === folder && kind !== 'file');
  const what = isLink
    ? 'is a symbolic link or a submodule, which is not followed'
    : 'is not in the repository';
  throw new StepError('folder', `The folder ${folder} ${what}. ${whereConfigured(configured)}`);
}

function whereConfigured(folders: readonly string[]): string {
  if (folders.length === 0) return 'No folder of the repository contains a docs.json.';
  const named = folders.map((folder) => (folder === '' ? 'the root' : folder));
  return `A docs.json is in ${some(named)}.`;
}

async function readConfig(
  remote: GitRemote,
  place: { commit: string; folder: string; work: string; signal: AbortSignal; sandbox: Sandbox; log: Logger },
  test: ConnectionTest,
  pass: Pass,
): Promise<void> {
  const { commit, folder, work, signal } = place;
  if (!test.folders.includes(folder) && test.folders.length < MAX_FOLDERS) {
    const where = folder === '' ? 'at the root of the repository' : `in the folder ${folder}`;
    throw new StepError('config', `There is no docs.json ${where}. ${whereConfigured(test.folders)}`);
  }
  const entries = await at('config', signal, () => remote.listTree(commit, folder, signal));
  const texts = entries.filter(({ path, kind }) => kind === 'file' && isText(path));
  const unread = texts.filter(({ bytes }) => bytes > READ_BYTES);
  const isOld = !entries.some(({ path }) => path === 'docs.json');
  const config = unread.find(({ path }) => path === (isOld ? 'mint.json' : 'docs.json'));
  if (config !== undefined) {
    const size = `${config.path} has ${config.bytes} bytes, and the test reads files of up to ${READ_BYTES}.`;
    throw notChecked('config', `${size} ${OWN_LIMIT}`);
  }
  const root = join(work, 'docs');
  await at('config', signal, () => copyTexts(remote, entries, root, signal));
  const answer = await readDocs(root, place);
  if (answer.name === null) throw new StepError('config', answer.fault ?? 'The docs cannot be exported.');
  const file = isOld ? 'mint.json, the older form of docs.json, which is read too,' : 'docs.json';
  test.siteName = answer.name;
  test.pages = answer.pages;
  pass(
    'config',
    `${file} names the site ${answer.name}; ${counted(answer.pages, 'page')}.${defectsText(answer.defects, unread)}`,
  );
}

/** A file that was not read counts as empty, so nothing is said of defects then. */
function defectsText(defects: number, unread: readonly TreeEntry[]): string {
  const [first, ...more] = unread;
  if (first !== undefined) {
    const others = more.length === 0 ? '' : ` and ${more.length} more`;
    return ` Not checked for defects: ${first.path}${others} ${more.length === 0 ? 'is' : 'are'} larger than ${READ_BYTES} bytes.`;
  }
  if (defects === 0) return '';
  return ` ${defects === 1 ? 'One defect' : `${defects} defects`} will be warnings of an export.`;
}

/** What a configuration can name: texts whole, anything else as an empty file. */
const isText = (path: string): boolean => /\.(?:mdx?|json|ya?ml|jsx?|tsx?)$/i.test(path);

async function copyTexts(
  remote: GitRemote,
  entries: readonly TreeEntry[],
  root: string,
  signal: AbortSignal,
): Promise<void> {
  const contents = new Map<string, Buffer>();
  await remote.readContents(
    entries.filter(({ path, kind, bytes }) => kind === 'file' && isText(path) && bytes <= READ_BYTES),
    (file, content) => contents.set(file.path, Buffer.from(content)),
    signal,
  );
  await mkdir(root);
  for (const { path, kind } of entries) {
    if (kind !== 'file') continue;
    const target = join(root, path);
    await makeFolder(dirname(target));
    await writeFile(target, contents.get(path) ?? '', { flag: 'wx', mode: 0o600 });
  }
}

/** Reads the configuration in a sandbox: it is a stranger's. */
async function readDocs(
  root: string,
  { sandbox, signal, log }: { sandbox: Sandbox; signal: AbortSignal; log: Logger },
): Promise<ConfigAnswer> {
  try {
    const answer = await sandbox.run<null>({
      program: 'connection',
      input: null,
      source: root,
      limits: { cpuMs: CHILD_CPU_MS, wallMs: TOTAL_MS, memoryMb: CHILD_MEMORY_MB, outputBytes: 0 },
      waitMs: SLOT_WAIT_MS,
      signal,
    });
    return readAnswer(answer);
  } catch (error) {
    if (!(error instanceof ChildError)) throw error;
    if (error.fault === 'cancelled') throw timedOut('config', signal) ?? error;
    log.warn({ err: error }, 'the docs of a connection test were not read');
    throw notChecked('config', unreadReason(error));
  }
}

/** A limit of the test is none of an export. */
function unreadReason({ fault, message }: ChildError): string {
  switch (fault) {
    case 'cpu-limit':
      return `reading the docs needs more than ${CHILD_CPU_MS / 1000} s of CPU time, the limit of a connection test. An export has a higher limit.`;
    case 'memory-limit':
      return `reading the docs needs more than ${CHILD_MEMORY_MB} MB of memory, the limit of a connection test. An export has a higher limit.`;
    case 'output-limit':
      return `the docs were not read. ${message}`;
    case 'wall-limit':
      return 'the server is busy. Try again.';
    case 'killed':
      return 'the process that reads the docs was stopped; the server may be short of memory. Try again.';
    default:
      return 'the process that reads the docs ended without a result. Try again; the log of the server has the cause.';
  }
}

/** It comes from a process that has read hostile content. */
function readAnswer(answer: unknown): ConfigAnswer {
  const { name, pages, fault, defects } = (answer ?? {}) as Record<string, unknown>;
  const count = (value: unknown): number =>
    Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : 0;
  const text = (value: unknown): string | null =>
    typeof value === 'string' ? value.replace(/\p{Cc}/gu, ' ').slice(0, 1_000) : null;
  return { name: text(name), pages: count(pages), fault: text(fault), defects: count(defects) };
}
