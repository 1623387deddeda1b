import { createHash } from 'node:crypto';
import { cleanFile } from '../clean/files.ts';
import { readFrontMatter } from '../config/front-matter.ts';
import { readPageKeys } from '../config/page-keys.ts';
import { isRestricted } from '../nav/page.ts';
import type { SourceTree } from '../source.ts';
import { readTextFile } from '../text-file.ts';
import type { Warn } from '../warning.ts';
import type { Emitter } from './emitter.ts';

/** A skill for agents (agentskills.io): a folder with a SKILL.md that says its name and what it is good for. */
interface Skill {
  name: string;
  description: string;
  /** Path of its files in the source; '' for `skill.md` at the root, which is a file alone. */
  folder: string;
  /** Source paths, SKILL.md first. */
  files: readonly string[];
}

const FOLDER = '.mintlify/skills/';
const ROOT_FILE = 'skill.md';
const SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';
const MAX_SKILLS = 500;

export interface Skills {
  skills: readonly Skill[];
  /** Source files of skills that are for members of other groups: they are not published at all. */
  withheld: ReadonlySet<string>;
}

/**
 * Serves the skills of a site: `skill.md`, and below `.well-known/agent-skills` and `.well-known/skills` every skill
 * with an index.
 */
export function emitSkills(
  skills: readonly Skill[],
  source: SourceTree,
  basePath: string,
  emitter: Emitter,
): void {
  if (skills.length === 0) return;
  const only = skills.length === 1 ? skills[0] : skills.find(({ folder }) => folder === '');
  if (only !== undefined) emitter.derive(ROOT_FILE, source.read(only.files[0] ?? ROOT_FILE));
  for (const skill of skills) {
    for (const file of skill.files) {
      const name = skill.folder === '' ? 'SKILL.md' : file.slice(skill.folder.length);
      for (const place of ['agent-skills', 'skills']) {
        emitter.derive(
          `.well-known/${place}/${skill.name}/${name}`,
          cleanFile(file, source.read(file)).content,
        );
      }
    }
  }
  emitter.derive('.well-known/agent-skills/index.json', manifest(skills, source, basePath));
  emitter.derive('.well-known/skills/index.json', listing(skills));
}

/** Index of the discovery specification, with digests. */
function manifest(skills: readonly Skill[], source: SourceTree, base: string): string {
  const entries = skills.map(({ name, description, files }) => ({
    name,
    type: 'skill-md',
    description,
    url: `${base}/.well-known/agent-skills/${name}/SKILL.md`,
    digest: `sha256:${createHash('sha256')
      .update(source.read(files[0] ?? ROOT_FILE))
      .digest('hex')}`,
  }));
  return `${JSON.stringify({ $schema: SCHEMA, skills: entries }, null, 2)}\n`;
}

/** Index of the older form: names and files. */
function listing(skills: readonly Skill[]): string {
  const entries = skills.map(({ name, description, folder, files }) => ({
    name,
    description,
    files: files.map((file) => (folder === '' ? 'SKILL.md' : file.slice(folder.length))),
  }));
  return `${JSON.stringify({ skills: entries }, null, 2)}\n`;
}

/** Finds the skills of a source; those of groups are left out as pages of groups are. */
export function findSkills(
  source: SourceTree,
  { groups = [], publicOnly = false }: { groups?: readonly string[]; publicOnly?: boolean },
  warn: Warn,
): Skills {
  const allowed = new Set(groups);
  const inside = source.paths.filter((path) => path.startsWith(FOLDER));
  const folders = inside
    .filter((path) => path.endsWith('/SKILL.md'))
    .map((path) => path.slice(0, -'SKILL.md'.length))
    .filter((folder) => folder.slice(FOLDER.length).split('/').length === 2);
  const skills = new Map<string, Skill>();
  const withheld = new Set<string>();
  for (const folder of [...(source.has(ROOT_FILE) ? [''] : []), ...folders]) {
    const main = folder === '' ? ROOT_FILE : `${folder}SKILL.md`;
    const others = folder === '' ? [] : inside.filter((path) => path.startsWith(folder) && path !== main);
    const { frontMatter, unread } = readFrontMatter(readTextFile(source, main, warn));
    const isClosed = publicOnly && readPageKeys(frontMatter).values.public !== true;
    if (isClosed || isRestricted(frontMatter.groups, allowed) || /^groups\s*:/m.test(unread ?? '')) {
      for (const file of [main, ...others]) withheld.add(file);
      continue;
    }
    const name = slug(textOf(frontMatter.name)) || slug(folder.split('/').at(-2) ?? '') || 'docs';
    const description = textOf(frontMatter.description).slice(0, 1_024);
    if (description === '') {
      const message =
        'A skill needs a `description` in its front matter, so that agents know when to use it.';
      warn({ file: main, line: 1, code: 'skill-incomplete', message });
    }
    if (!skills.has(name) && skills.size < MAX_SKILLS) {
      skills.set(name, { name, description, folder, files: [main, ...others] });
    }
  }
  return { skills: [...skills.values()], withheld };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

function slug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64);
}
