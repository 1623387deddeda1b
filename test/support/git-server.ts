import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';

/** A file of a commit. Paths and modes are stored as given, however hostile. */
export interface Entry {
  path: string;
  /** Text of the file, target of a link, or object name of a submodule. */
  content: string | Uint8Array;
  /** Default 100644; 120000 is a symbolic link, 160000 a submodule. */
  mode?: string;
}

export interface GitServer {
  /** `http://127.0.0.1:port`, or `https:` with `tls` */
  url: string;
  /** Folder of the bare repositories. */
  root: string;
  /** Method and path of each request so far. */
  requests: string[];
  /** Makes or moves a ref to a new commit with exactly these files; returns its id. */
  commit(repository: string, entries: readonly Entry[], options?: CommitOptions): Promise<string>;
  close(): Promise<void>;
}

export interface CommitOptions {
  /** Default `refs/heads/main`; null makes a commit that no ref reaches. */
  ref?: string | null;
  parent?: string;
  /** Makes an annotated tag of this name too. */
  tag?: string;
  /** Seconds since 1970; default 1,700,000,000. */
  at?: number;
  /** Default `Test`. */
  message?: string;
  /** Name of the author; default `Test`. */
  author?: string;
}

export interface GitServerOptions {
  /** Basic authentication for every request. */
  account?: { username: string; password: string };
  /** Serves https: with this key and certificate (PEM). */
  tls?: { key: string; cert: string };
  /** Handles the request instead of Git if it returns true. */
  intercept?(request: IncomingMessage, response: ServerResponse): boolean;
  /** Settings of Git on the server, such as `uploadpack.packObjectsHook`. */
  settings?: Readonly<Record<string, string>>;
}

/** Serves bare repositories by the real `git http-backend` on a free loopback port. */
export async function startGitServer(options: GitServerOptions = {}): Promise<GitServer> {
  const root = await mkdtemp(join(tmpdir(), 'offprint-git-server-'));
  const requests: string[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    requests.push(`${request.method} ${request.url}`);
    if (options.intercept?.(request, response) === true) return;
    if (options.account !== undefined && !isAuthorized(request, options.account)) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    serve(root, options.settings ?? {}, request, response);
  };
  const server = options.tls === undefined ? createServer(answer) : createTlsServer(options.tls, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    root,
    requests,
    commit: (repository, entries, commit = {}) => writeCommit(join(root, repository), entries, commit),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(root, { recursive: true, force: true });
    },
  };
}

function isAuthorized(request: IncomingMessage, account: { username: string; password: string }): boolean {
  const given = (request.headers.authorization ?? '').replace(/^Basic /, '');
  return Buffer.from(given, 'base64').toString() === `${account.username}:${account.password}`;
}

function serve(
  root: string,
  settings: Readonly<Record<string, string>>,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  // The test may run as root over folders of its own.
  const configuration = Object.entries({ 'safe.directory': '*', ...settings });
  const header = (name: string): string => String(request.headers[name] ?? '');
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH ?? '',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_COUNT: String(configuration.length),
      ...Object.fromEntries(
        configuration.flatMap(([key, value], index) => [
          [`GIT_CONFIG_KEY_${index}`, key],
          [`GIT_CONFIG_VALUE_${index}`, value],
        ]),
      ),
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: header('content-type'),
      CONTENT_LENGTH: header('content-length'),
      HTTP_CONTENT_ENCODING: header('content-encoding'),
      GIT_PROTOCOL: header('git-protocol'),
      REMOTE_USER: 'test',
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  backend.stdin.on('error', () => undefined);
  request.pipe(backend.stdin);
  response.on('close', () => backend.kill('SIGKILL'));
  let head = Buffer.alloc(0);
  backend.stdout.on('data', (chunk: Buffer) => {
    if (response.headersSent) {
      if (!response.write(chunk)) {
        backend.stdout.pause();
        response.once('drain', () => backend.stdout.resume());
      }
      return;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return;
    let status = 200;
    for (const line of head.toString('latin1', 0, end).split('\r\n')) {
      const [name = '', value = ''] = line.split(/:\s*/, 2);
      if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.writeHead(status);
    response.write(head.subarray(end + 4));
  });
  backend.on('close', () => response.end());
}

async function writeCommit(
  gitDir: string,
  entries: readonly Entry[],
  options: CommitOptions,
): Promise<string> {
  await mkdir(join(gitDir, 'refs', 'heads'), { recursive: true });
  await mkdir(join(gitDir, 'objects'), { recursive: true });
  await place(join(gitDir, 'HEAD'), 'ref: refs/heads/main\n');
  await writeFile(
    join(gitDir, 'config'),
    '[core]\n\trepositoryformatversion = 0\n\tbare = true\n[http]\n\treceivepack = true\n',
    { flag: 'wx' },
  ).catch(() => undefined);
  const at = `${options.at ?? 1_700_000_000} +0200`;
  const person = `Test <test@example.com> ${at}`;
  const author = `${options.author ?? 'Test'} <author@example.com> ${at}`;
  const parent = options.parent === undefined ? '' : `parent ${options.parent}\n`;
  const tree = await writeTree(gitDir, entries);
  const commit = await writeObject(
    gitDir,
    'commit',
    `tree ${tree}\n${parent}author ${author}\ncommitter ${person}\n\n${options.message ?? 'Test'}\n`,
  );
  if (options.ref !== null) await writeRef(gitDir, options.ref ?? 'refs/heads/main', commit);
  if (options.tag !== undefined) {
    const text = `object ${commit}\ntype commit\ntag ${options.tag}\ntagger ${person}\n\nTag\n`;
    await writeRef(gitDir, `refs/tags/${options.tag}`, await writeObject(gitDir, 'tag', text));
  }
  return commit;
}

async function writeRef(gitDir: string, name: string, objectId: string): Promise<void> {
  await mkdir(dirname(join(gitDir, name)), { recursive: true });
  await place(join(gitDir, name), `${objectId}\n`);
}

/** Writes a file in one step, since Git may be reading the repository; it takes no name in `.lock` for a ref. */
async function place(file: string, content: string | Uint8Array): Promise<void> {
  const draft = `${file}.${randomBytes(4).toString('hex')}.lock`;
  await writeFile(draft, content);
  await rename(draft, file);
}

async function writeTree(gitDir: string, entries: readonly Entry[]): Promise<string> {
  const folders = new Map<string, Entry[]>();
  const rows: { name: string; mode: string; objectId: string }[] = [];
  for (const entry of entries) {
    const slash = entry.path.indexOf('/');
    if (slash !== -1) {
      const name = entry.path.slice(0, slash);
      const inside = { ...entry, path: entry.path.slice(slash + 1) };
      folders.set(name, [...(folders.get(name) ?? []), inside]);
      continue;
    }
    const mode = entry.mode ?? '100644';
    const objectId =
      mode === '160000' ? String(entry.content) : await writeObject(gitDir, 'blob', entry.content);
    rows.push({ name: entry.path, mode, objectId });
  }
  for (const [name, inside] of folders) {
    rows.push({ name, mode: '40000', objectId: await writeTree(gitDir, inside) });
  }
  const key = (row: { name: string; mode: string }): Buffer =>
    Buffer.from(row.mode === '40000' ? `${row.name}/` : row.name);
  rows.sort((a, b) => Buffer.compare(key(a), key(b)));
  const parts = rows.map((row) =>
    Buffer.concat([Buffer.from(`${row.mode} ${row.name}\0`), Buffer.from(row.objectId, 'hex')]),
  );
  return writeObject(gitDir, 'tree', Buffer.concat(parts));
}

async function writeObject(gitDir: string, type: string, content: string | Uint8Array): Promise<string> {
  const body = Buffer.from(content as Uint8Array);
  const stored = Buffer.concat([Buffer.from(`${type} ${body.byteLength}\0`), body]);
  const objectId = createHash('sha1').update(stored).digest('hex');
  const file = join(gitDir, 'objects', objectId.slice(0, 2), objectId.slice(2));
  await mkdir(dirname(file), { recursive: true });
  await place(file, deflateSync(stored, { level: 1 }));
  return objectId;
}
