/**
 * Makes the cuts of this folder anew: `node test/support/forge/openapi/make.ts FOLDER`, where FOLDER holds the unpacked
 * packages that ./sources.json names. GitLab's is written by hand, see there.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cutOpenApi, type Json } from '../../openapi/cut.ts';

const GITHUB = {
  operations: {
    '/repos/{owner}/{repo}': ['get'],
    '/repos/{owner}/{repo}/branches': ['get'],
    '/repos/{owner}/{repo}/pulls': ['get', 'post'],
    '/repos/{owner}/{repo}/pulls/{pull_number}': ['get', 'patch'],
    '/app/installations/{installation_id}/access_tokens': ['post'],
  },
  roots: ['#/components/schemas/basic-error', '#/components/schemas/validation-error'],
};

interface Source {
  file: string;
  path: string;
  sha256: string;
}

if (import.meta.main) {
  const folder = process.argv[2] ?? '.';
  const sources = JSON.parse(readFileSync(new URL('sources.json', import.meta.url), 'utf8')) as Source[];
  for (const { file, path, sha256 } of sources.filter(({ file }) => file.startsWith('github'))) {
    const text = readFileSync(join(folder, path));
    const found = createHash('sha256').update(text).digest('hex');
    if (found !== sha256) throw new Error(`${path} is not the file that was cut: its SHA-256 is ${found}.`);
    const cut = cutOpenApi(JSON.parse(text.toString()) as Json, GITHUB);
    writeFileSync(new URL(file, import.meta.url), `${JSON.stringify(cut)}\n`);
  }
}
