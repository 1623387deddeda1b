import { z } from 'zod';
import { projectSourceInput } from './source.ts';

/** Body of `POST /v1/connection-tests`. */
export const testConnectionBody = z
  .strictObject({
    source: projectSourceInput.describe('Source to test. Only Git sources have a connection.'),
    projectId: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe(
        'Project whose stored credential is used when the source names the same repository and no credential.',
      ),
  })
  .meta({
    id: 'TestConnectionRequest',
    examples: [{ source: { kind: 'git', repository: 'https://github.com/acme/docs.git' } }],
  });
export type TestConnectionBody = z.input<typeof testConnectionBody>;

/** One thing that was tried, in the order in which they depend on each other. */
const connectionStep = z.object({
  name: z
    .enum(['address', 'sign-in', 'branch', 'folder', 'config'])
    .describe(
      '`address`: the server is a Git server; `sign-in`: it accepts the credential and has the repository; `branch`: the branch exists; `folder`: the folder exists; `config`: docs.json exists and is valid.',
    ),
  outcome: z
    .enum(['ok', 'failed', 'skipped'])
    .describe('`skipped`: not checked, because an earlier step failed or the check had no result.'),
  message: z
    .string()
    .describe('Result of the step, the error and its solution, or why the step was not checked.'),
});

/** What came of trying a source. */
export const connectionTest = z
  .object({
    ok: z
      .boolean()
      .describe('Whether every step is `ok`. A test with a `skipped` and no `failed` step found no error.'),
    steps: z.array(connectionStep),
    commit: z.string().nullable().describe('Newest commit of the branch.'),
    branch: z.string().nullable().describe('Branch that is used.'),
    branches: z.array(z.string()).describe('Branches of the repository, at most 100.'),
    folders: z.array(z.string()).describe('Folders that contain a docs.json or mint.json, at most 20.'),
    siteName: z.string().nullable().describe('Name in docs.json.'),
    pages: z.int().min(0).nullable().describe('Number of pages found.'),
  })
  .meta({ id: 'ConnectionTest' });
export type ConnectionTest = z.output<typeof connectionTest>;
