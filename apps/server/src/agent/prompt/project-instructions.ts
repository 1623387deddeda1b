import { createHash } from 'node:crypto';

/** Instructions that a repository has for the agent. */
export interface Instructions {
  text: string;
  /** Path from the root of the repository. */
  path: string;
  /** Of the whole file, hexadecimal. */
  sha256: string;
}

/** Bytes of a file of instructions that are used; the rest is left out. */
export const MAX_INSTRUCTION_BYTES = 32 * 1024;
const MAX_TEMPLATE_BYTES = 8 * 1024;

/** Names by which instructions are found, first wins. No other file of instructions is ever read as one. */
const INSTRUCTION_FILES = [
  '.offprint/AGENTS.md',
  '.offprint/Agents.md',
  '.mintlify/AGENTS.md',
  '.mintlify/Agents.md',
];

const TEMPLATE_FILES = [
  '.github/pull_request_template.md',
  '.github/PULL_REQUEST_TEMPLATE.md',
  'pull_request_template.md',
  'PULL_REQUEST_TEMPLATE.md',
  'docs/pull_request_template.md',
  'docs/PULL_REQUEST_TEMPLATE.md',
  '.gitlab/merge_request_templates/Default.md',
  '.gitlab/merge_request_templates/default.md',
  '.gitea/pull_request_template.md',
  '.gitea/PULL_REQUEST_TEMPLATE.md',
  '.forgejo/pull_request_template.md',
  '.forgejo/PULL_REQUEST_TEMPLATE.md',
];

/** Reads a small text file by its path from the root of the repository; null if it does not exist. */
export type ReadText = (path: string) => Promise<string | null>;

/**
 * The instructions of a repository: the first file there is, names before folders, the docs folder before the root.
 * `readText` must read the commit that is published, never what a job has written, so that no job instructs itself.
 */
export async function findInstructions(readText: ReadText, docsFolder: string): Promise<Instructions | null> {
  const folders = docsFolder === '' ? [''] : [`${docsFolder}/`, ''];
  for (const name of INSTRUCTION_FILES) {
    for (const folder of folders) {
      const path = folder + name;
      const text = await readText(path);
      if (text === null || text.trim() === '') continue;
      const sha256 = createHash('sha256').update(text).digest('hex');
      return { text: capped(text, MAX_INSTRUCTION_BYTES), path, sha256 };
    }
  }
  return null;
}

/** What the repository wants a pull request to say; '' when it does not tell. */
export async function findPullRequestTemplate(readText: ReadText): Promise<string> {
  for (const path of TEMPLATE_FILES) {
    const text = await readText(path);
    // Comments in a template are for the writer of the pull request, so they stay.
    if (text !== null && text.trim() !== '') return capped(text, MAX_TEMPLATE_BYTES);
  }
  return '';
}

/** The first bytes of a text up to a limit, whole lines if possible, with a note that it was cut. */
function capped(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.byteLength <= maxBytes) return text;
  const kept = bytes
    .subarray(0, maxBytes)
    .toString('utf8')
    .replace(/\ufffd$/, '');
  const line = kept.lastIndexOf('\n');
  return `${line > maxBytes / 2 ? kept.slice(0, line) : kept}\n[truncated after ${Math.floor(maxBytes / 1024)} KB]\n`;
}
