import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { parse } from 'yaml';
import { type Database, json } from '../platform/db/database.ts';

/** What the docs of a site tell its assistant. */
export interface AssistantFiles {
  instructions: string | null;
  skills: Skill[];
}

/** Guidance for one topic, which the model loads when a question is about it. */
export interface Skill {
  /** Name of its folder. */
  slug: string;
  name: string;
  description: string;
  text: string;
}

export const NO_FILES: AssistantFiles = { instructions: null, skills: [] };

const MAX_INSTRUCTIONS = 16_000;
/** Characters of about 6,000 tokens. */
const MAX_SKILL = 24_000;
const MAX_SKILLS = 50;
const MAX_FILE_BYTES = 200_000;
const NAMES = ['Assistant.md', 'ASSISTANT.md', 'assistant.md'];

/**
 * Reads `.mintlify/Assistant.md` (or `.offprint/`) and the skills beside it from a snapshot of the docs. Files that are
 * missing, too large or not valid are left out: they must not stop an export.
 */
export async function readAssistantFiles(root: string): Promise<AssistantFiles> {
  for (const folder of ['.offprint', '.mintlify']) {
    const instructions = await firstText(NAMES.map((name) => join(root, folder, name)));
    const skills = await readSkills(join(root, folder, 'assistant', 'skills'));
    if (instructions === null && skills.length === 0) continue;
    return { instructions: instructions?.slice(0, MAX_INSTRUCTIONS) ?? null, skills };
  }
  return NO_FILES;
}

async function readSkills(folder: string): Promise<Skill[]> {
  const slugs = await readdir(folder).catch(() => []);
  const skills: Skill[] = [];
  for (const slug of slugs.sort()) {
    if (skills.length >= MAX_SKILLS || !/^[a-z0-9-]{1,64}$/.test(slug)) continue;
    const text = await firstText(['skill.md', 'SKILL.md'].map((name) => join(folder, slug, name)));
    const skill = text === null ? null : parseSkill(slug, text);
    if (skill !== null) skills.push(skill);
  }
  return skills;
}

function parseSkill(slug: string, file: string): Skill | null {
  const [, head, text] = /^---\r?\n([\s\S]{0,10000}?)\r?\n---\r?\n([\s\S]*)$/.exec(file) ?? [];
  if (head === undefined || text === undefined) return null;
  let fields: unknown;
  try {
    fields = parse(head, { maxAliasCount: 0 });
  } catch {
    return null;
  }
  const { name, description } = (typeof fields === 'object' && fields !== null ? fields : {}) as Record<
    string,
    unknown
  >;
  if (typeof name !== 'string' || typeof description !== 'string') return null;
  return {
    slug,
    name: name.slice(0, 200),
    description: description.slice(0, 1_000),
    text: text.slice(0, MAX_SKILL),
  };
}

async function firstText(paths: readonly string[]): Promise<string | null> {
  for (const path of paths) {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => null);
    if (file === null) continue;
    try {
      const facts = await file.stat();
      if (!facts.isFile() || facts.size > MAX_FILE_BYTES) continue;
      const text = (await file.readFile('utf8')).replaceAll('\0', '\uFFFD').toWellFormed().trim();
      if (text !== '') return text;
    } finally {
      await file.close();
    }
  }
  return null;
}

/** Keeps the files of the source of an export, outside of its bundle. */
export async function saveAssistantFiles(
  db: Kysely<Database>,
  exportId: string,
  { instructions, skills }: AssistantFiles,
): Promise<void> {
  if (instructions === null && skills.length === 0) {
    await db.deleteFrom('assistant_files').where('export_id', '=', exportId).execute();
    return;
  }
  const values = { instructions, skills: json(skills) };
  await db
    .insertInto('assistant_files')
    .values({ export_id: exportId, ...values })
    .onConflict((conflict) => conflict.column('export_id').doUpdateSet(values))
    .execute();
}

export async function findAssistantFiles(
  db: Kysely<Database>,
  exportId: string | null,
): Promise<AssistantFiles> {
  if (exportId === null) return NO_FILES;
  const row = await db
    .selectFrom('assistant_files')
    .select(['instructions', 'skills'])
    .where('export_id', '=', exportId)
    .executeTakeFirst();
  return row ?? NO_FILES;
}
