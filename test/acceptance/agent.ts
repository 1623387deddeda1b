/** What the acceptance tests of agent jobs share: a project whose repository nobody contacts, and jobs in it. */
import { expect } from 'vitest';
import type { TestPlatform } from '../support/platform.ts';
import { call, createProject } from './api.ts';

export interface AgentJobBody {
  id: string;
  status: string;
  source: { repository: string; ref: string | null };
  model: string;
  prLink: string | null;
  createdAt: string;
  archivedAt: string | null;
  title: string;
  failure: { code: string; message: string } | null;
  updatedAt: string;
  [name: string]: unknown;
}

/** Settings of an installation with a model that is never asked. */
export const MODEL_ENV = {
  OFFPRINT_AGENT_PROVIDER: 'openai-compatible',
  OFFPRINT_AGENT_MODEL: 'test-model',
  OFFPRINT_AGENT_BASE_URL: 'http://127.0.0.1:9/v1',
  OFFPRINT_AGENT_API_KEY: 'sk-installation',
};

export const REPOSITORY = 'https://git.example.com/acme/docs.git';

/** A project with a Git source; the API does not contact it. */
export async function createGitProject(
  url: string,
  key: string,
  source: Record<string, unknown> = {},
): Promise<string> {
  const { projectId } = await createProject(url, key, { kind: 'git', repository: REPOSITORY, ...source });
  return projectId;
}

/** Creates a job and returns it. */
export async function createJob(
  url: string,
  key: string,
  projectId: string,
  body: Record<string, unknown> = {},
): Promise<AgentJobBody> {
  const reply = await call<AgentJobBody>(url, 'POST', `/v2/agent/${projectId}/job`, {
    key,
    body: { prompt: 'Fix the typo on the home page.', ...body },
  });
  expect(reply.status, reply.text).toBe(201);
  return reply.body;
}

/** Writes columns of a job, as a worker would. */
export const setJob = (platform: TestPlatform, id: string, values: Record<string, unknown>) =>
  platform.database.db
    .updateTable('agent_jobs')
    .set({ updated_at: new Date(), ...values })
    .where('id', '=', id)
    .execute();

/** Adds an event to a job, as a worker would, and returns its number. */
export async function addEvent(
  platform: TestPlatform,
  id: string,
  body: Record<string, unknown> & { kind: string },
): Promise<number> {
  return platform.database.db.transaction().execute(async (tx) => {
    const {
      last_seq: seq,
      turn,
      attempt,
    } = await tx
      .updateTable('agent_jobs')
      .set((eb) => ({ last_seq: eb('last_seq', '+', 1) }))
      .where('id', '=', id)
      .returning(['last_seq', 'turn', 'attempt'])
      .executeTakeFirstOrThrow();
    await tx
      .insertInto('agent_events')
      .values({ job_id: id, seq, turn, attempt, kind: body.kind as 'state', body: JSON.stringify(body) })
      .execute();
    return seq;
  });
}
