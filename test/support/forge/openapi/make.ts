/**
 * Creates the cuts of this folder again: `node test/support/forge/openapi/make.ts FOLDER`, where FOLDER holds the npm
 * packages of sources.json, each unpacked into a folder of its name (`octokit-openapi`, `gitea-js`).
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cutOpenApi, type Json } from '../../openapi/cut.ts';
import { describeTypes, type TypedOperation } from '../../openapi/types.ts';

interface Source {
  file: string;
  source: string;
  path: string | null;
  sha256: string | null;
  license: string;
  note?: string;
}

const GITHUB = {
  operations: {
    '/repos/{owner}/{repo}': ['get'],
    '/repos/{owner}/{repo}/branches': ['get'],
    '/repos/{owner}/{repo}/pulls': ['get', 'post'],
    '/repos/{owner}/{repo}/pulls/{pull_number}': ['get', 'patch'],
    '/repos/{owner}/{repo}/statuses/{sha}': ['post'],
    '/repos/{owner}/{repo}/issues/{issue_number}/comments': ['get', 'post'],
    '/repos/{owner}/{repo}/issues/comments/{comment_id}': ['patch'],
    '/app/installations/{installation_id}/access_tokens': ['post'],
  },
  roots: ['#/components/schemas/basic-error', '#/components/schemas/validation-error'],
};

/** The types do not tell the statuses; these are those of the description that they were made of. */
const GITEA: TypedOperation[] = [
  ['repoGet', 'GET /repos/{owner}/{repo}', 200, [404]],
  ['repoListBranches', 'GET /repos/{owner}/{repo}/branches', 200, []],
  ['repoGetBranch', 'GET /repos/{owner}/{repo}/branches/{branch}', 200, [404]],
  ['repoCompareDiff', 'GET /repos/{owner}/{repo}/compare/{basehead}', 200, [404]],
  ['repoListPullRequests', 'GET /repos/{owner}/{repo}/pulls', 200, [404]],
  ['repoCreatePullRequest', 'POST /repos/{owner}/{repo}/pulls', 201, [403, 404, 409, 422, 423]],
  ['repoGetPullRequestByBaseHead', 'GET /repos/{owner}/{repo}/pulls/{base}/{head}', 200, [404]],
  ['repoGetPullRequest', 'GET /repos/{owner}/{repo}/pulls/{index}', 200, [404]],
  ['repoCreateStatus', 'POST /repos/{owner}/{repo}/statuses/{sha}', 201, [400, 403, 404]],
  ['issueGetComments', 'GET /repos/{owner}/{repo}/issues/{index}/comments', 200, [404]],
  ['issueCreateComment', 'POST /repos/{owner}/{repo}/issues/{index}/comments', 201, [403, 404, 423]],
  ['issueEditComment', 'PATCH /repos/{owner}/{repo}/issues/comments/{id}', 200, [403, 404]],
  ['repoEditPullRequest', 'PATCH /repos/{owner}/{repo}/pulls/{index}', 201, [403, 404, 409, 412, 422]],
].map(([name, operation, success, errors]) => ({ name, operation, success, errors }) as TypedOperation);

if (import.meta.main) {
  const folder = process.argv[2] ?? '.';
  const sources = JSON.parse(readFileSync(new URL('sources.json', import.meta.url), 'utf8')) as Source[];
  for (const { file, source, path, sha256 } of sources) {
    if (path === null) continue;
    const text = readFileSync(join(folder, path));
    const found = createHash('sha256').update(text).digest('hex');
    if (found !== sha256) throw new Error(`${path} is not the file that was cut: its SHA-256 is ${found}.`);
    const cut = file.startsWith('github')
      ? cutOpenApi(JSON.parse(text.toString()) as Json, GITHUB)
      : describeTypes(text.toString(), { title: source, operations: GITEA, error: 'APIError' });
    writeFileSync(new URL(file, import.meta.url), `${JSON.stringify(cut, null, 2)}\n`);
  }
}
