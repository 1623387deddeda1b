import type { Kysely } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import type { Forge } from '../platform/forge/port.ts';
import type { GitLimits, GitPolicy } from '../platform/git/policy.ts';
import type { GitRemote, OpenRemote } from '../platform/git/remote.ts';
import type { Fence } from '../platform/jobs/jobs.ts';
import type { Logger } from '../platform/log.ts';
import type { ModelPort, ModelSettings } from '../platform/model/port.ts';
import { type GitProject, readGitProject } from '../projects/service.ts';
import type { DocsCheck } from './check/docs-check.ts';
import { JobError } from './failure.ts';
import type { AgentJobRow } from './journal.ts';
import type { TurnLimits } from './loop/budget.ts';

/** Model, forge and rules of a job, as its project and the installation set them. */
export interface Connection {
  model: ModelPort;
  settings: ModelSettings;
  forge: Forge;
  /** Added to the instructions of the repository. */
  instructions: string;
  writeAllow: readonly string[];
  branchPrefix: string;
  /** Values that must never leave: keys and tokens. */
  secrets: readonly string[];
}

export interface AgentJobAdapters {
  db: Kysely<Database>;
  log: Logger;
  /** Folder of what jobs have fetched, for later ones; null: each job fetches everything. */
  mirrorDir: string | null;
  credentialKey: Buffer;
  gitPolicy: GitPolicy;
  gitLimits: GitLimits;
  openRemote: OpenRemote;
  check: DocsCheck;
  /** Throws JobError when the project has no model that can be used. */
  connect(row: AgentJobRow, project: GitProject): Promise<Connection>;
  limits: TurnLimits;
}

/** What one attempt has in hand. */
export interface Attempt {
  adapters: AgentJobAdapters;
  row: AgentJobRow;
  fence: Fence;
  project: GitProject;
  connection: Connection;
  remote: GitRemote;
  signal: AbortSignal;
  log: Logger;
}

/** The project and the connection of a job. Throws JobError when the job can no longer work on the project. */
export async function openProject(
  adapters: AgentJobAdapters,
  row: AgentJobRow,
): Promise<Pick<Attempt, 'project' | 'connection'>> {
  const name = { organizationId: row.organization_id, id: row.project_id };
  const project = await readGitProject(adapters.db, adapters.credentialKey, name);
  if (project === null) {
    throw new JobError(
      'repo_unreachable',
      'The project no longer has a Git repository. Set one and send a message.',
    );
  }
  if (project.repository !== row.repository) {
    throw new JobError(
      'repo_unreachable',
      'The project now has another repository than when the job was created. Create a new job.',
    );
  }
  return { project, connection: await adapters.connect(row, project) };
}
