import type { Kysely } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import type { GitLimits, GitPolicy } from '../platform/git/policy.ts';
import type { GitRemote, OpenRemote } from '../platform/git/remote.ts';
import type { Queue } from '../platform/jobs/queue.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { GitProject } from '../projects/service.ts';
import type { DocsCheck } from './check/docs-check.ts';
import type { Forge } from './forge/port.ts';
import type { AgentJobRow, Fence } from './journal.ts';
import type { TurnLimits } from './loop/budget.ts';
import type { ModelPort, ModelSettings } from './model/port.ts';

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
  queue: Queue;
  log: Logger;
  metrics: Metrics;
  workDir: string;
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
  /** Jobs of one project that run at the same time. */
  maxOfProject: number;
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
