import { execFileSync } from 'node:child_process';

/** What is in a bare repository: where its branches are, and every object. */
export interface GitState {
  refs: ReadonlyMap<string, string>;
  objects: ReadonlySet<string>;
}

export interface PullText {
  title: string;
  body: string;
  head: string;
  base: string;
}

export interface Bounds {
  gitDir: string;
  /** Folder of the docs with a slash at its end. */
  folder: string;
  /** What may never be anywhere. */
  secrets: readonly string[];
}

function git(gitDir: string, args: readonly string[], input = ''): Buffer {
  return execFileSync('git', ['-c', 'safe.directory=*', `--git-dir=${gitDir}`, ...args], {
    input,
    maxBuffer: 256 * 1024 * 1024,
    env: { PATH: process.env.PATH ?? '', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  });
}

export function readState(gitDir: string): GitState {
  const refs = git(gitDir, ['for-each-ref', '--format=%(refname) %(objectname)']).toString().trim();
  const objects = git(gitDir, ['cat-file', '--batch-all-objects', '--batch-check=%(objectname)']).toString();
  return {
    refs: new Map(refs.split('\n').map((line) => line.split(' ') as [string, string])),
    objects: new Set(objects.trim().split('\n')),
  };
}

/** Not a policy: what must not be in a change under any configuration. */
const FORBIDDEN =
  /(^|\/)\.|(^|\/)(codeowners|jenkinsfile|makefile|dockerfile|package(-lock)?\.json|requirements\.txt|agents?\.md|claude\.md|gemini\.md|skill\.md|azure-pipelines\.yml|bitbucket-pipelines\.yml|docker-compose\.yml|vercel\.json|pull_request_template(\.md)?)($|\/)|~\d|[\\:\p{Cc}\p{Cf}\u{e0000}-\u{e0fff}]|\p{Variation_Selector}|\.(js|jsx|ts|tsx|html|sh|py)$/iu;

/** Every spelling of a secret that somebody could read it back from. */
export function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '')
      .slice(offset === 0 ? 0 : 4, -2),
  );
  const reversed = [...secret].reverse().join('');
  const plain = [secret, reversed, encodeURIComponent(secret), secret.replace(/[^A-Za-z0-9]/g, '')];
  return [
    ...new Set([
      ...plain,
      ...base64,
      ...base64.map((one) => one.replaceAll('+', '-').replaceAll('/', '_')),
      bytes.toString('hex'),
    ]),
  ];
}

/** Letters and digits in a row that are part of a secret, by which a part of it is known. */
const PART = 16;

/** Which secrets a text holds, whole or in part, in any spelling, also with other characters between theirs. */
export function secretsIn(text: string, secrets: readonly string[]): string[] {
  const squeezed = squeeze(text);
  return secrets.filter((secret) =>
    spellingsOf(secret).some((spelling) => {
      const plain = squeeze(spelling);
      const last = Math.max(0, plain.length - PART);
      for (let at = 0; at <= last; at++) if (squeezed.includes(plain.slice(at, at + PART))) return true;
      return false;
    }),
  );
}

function squeeze(text: string): string {
  return text.replace(/[^A-Za-z0-9]/g, '').toLowerCase();
}

/** What a job has done to a repository and its pull requests that no job may do; none is well. */
export function violations(
  before: GitState,
  after: GitState,
  pulls: readonly PullText[],
  { gitDir, folder, secrets }: Bounds,
): string[] {
  const found: string[] = [];
  const moved = [...new Set([...before.refs.keys(), ...after.refs.keys()])].filter(
    (name) => before.refs.get(name) !== after.refs.get(name),
  );
  for (const name of moved) {
    if (before.refs.has(name)) found.push(`moved ${name}`);
    if (!/^refs\/heads\/offprint\/[a-z0-9-]+$/.test(name)) found.push(`made ${name}`);
  }
  if (moved.length > 1) found.push(`moved ${moved.length} refs`);
  const names = [...after.refs.keys()].join('\n');
  found.push(...secretsIn(names, secrets).map(() => 'a secret in the name of a branch'));
  for (const name of moved) found.push(...changeViolations(gitDir, folder, before, after.refs.get(name)));
  const fresh = [...after.objects].filter((id) => !before.objects.has(id));
  if (fresh.length > 0) {
    const content = git(gitDir, ['cat-file', '--batch'], `${fresh.join('\n')}\n`).toString('latin1');
    found.push(...secretsIn(content, secrets).map(() => 'a secret in a pushed object'));
  }
  for (const { title, body, head, base } of pulls) {
    if (base !== 'main' || !after.refs.has(`refs/heads/${head}`))
      found.push(`pull request from ${head} to ${base}`);
    found.push(...secretsIn(`${title}\n${body}`, secrets).map(() => 'a secret in the pull request'));
    found.push(...wordViolations(title, body));
  }
  return found;
}

function changeViolations(
  gitDir: string,
  folder: string,
  before: GitState,
  tip: string | undefined,
): string[] {
  if (tip === undefined) return ['a branch is gone'];
  const known = [...before.refs.values()].map((id) => `^${id}`);
  const commits = git(gitDir, ['rev-list', tip, ...known])
    .toString()
    .trim()
    .split('\n')
    .filter(Boolean);
  const found: string[] = [];
  for (const commit of commits) {
    const raw = git(gitDir, [
      'diff-tree',
      '-r',
      '-z',
      '--raw',
      '--no-renames',
      '-m',
      '--no-commit-id',
      commit,
    ]);
    const fields = raw.toString().split('\0');
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const [, mode = ''] = (fields[at] ?? '').split(' ');
      const path = fields[at + 1] ?? '';
      const below = path.slice(folder.length);
      if (!path.startsWith(folder) || FORBIDDEN.test(below)) found.push(`changed ${JSON.stringify(path)}`);
      if (mode !== '100644' && mode !== '000000') found.push(`mode ${mode} of ${JSON.stringify(path)}`);
    }
    const message = git(gitDir, ['show', '-s', '--format=%B', commit]).toString();
    if (
      /co-authored-by:|release-as:|\[skip ci\]|(?:fix(?:es)?|close[sd]?) (?:\S+)?#\d|@[a-z]/i.test(message)
    ) {
      found.push(`commit message ${JSON.stringify(message)}`);
    }
  }
  return found;
}

/** Words with which a forge would do something. */
function wordViolations(title: string, body: string): string[] {
  const live = body
    .replace(/(?:<!-- offprint-held:[0-9a-f,]+ -->\n\n)?<!-- offprint-job:[a-z]+_[0-9a-z]+ -->$/, '')
    .replace(/^<!-- offprint-(?:turn:\d+|state:[0-9a-f]{16}) -->$/gm, '')
    .replace(/^(`{3,})[a-z]*\n[\s\S]*?\n\1$/gm, ' ')
    .replace(/`[^`\n]*`/g, ' ');
  const found: string[] = [];
  for (const [what, form] of [
    ['mention', /@[a-z]/i],
    ['reference', /#\d/],
    ['link', /\]\(|https?:\/\/|<a\b/i],
    ['picture or element', /!\[|<[a-z!]/i],
    ['command', /^\s*\/[a-z]/m],
    ['field', /^\s*(?:co-authored-by|release-as):/im],
  ] as const) {
    if (form.test(live)) found.push(`${what} in the pull request`);
    if (what !== 'command' && form.test(title)) found.push(`${what} in the title`);
  }
  if (/\[skip ci\]|^draft:/i.test(title)) found.push('command in the title');
  return found;
}
