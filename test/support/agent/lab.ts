/** A platform with everything that an agent job needs around it: Git over https, a forge, a model, a project. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentJob } from '@offprint/contract';
import { call } from '../../acceptance/api.ts';
import { makeCertificate } from '../certificate.ts';
import type { ForgeDouble } from '../forge/double.ts';
import { startGiteaDouble } from '../forge/gitea.ts';
import { startGithubDouble } from '../forge/github.ts';
import { startGitlabDouble } from '../forge/gitlab.ts';
import { type GitServer, startGitServer } from '../git-server.ts';
import { startTestPlatform, type Tenant, type TestPlatform } from '../platform.ts';
import {
  type Answer,
  type FaultRule,
  type ModelServer,
  type ScriptedRequest,
  startModelServer,
} from './model-server.ts';
import { lineScript, REPOSITORY, SITE } from './script.ts';

export { doing, lineScript, REPOSITORY, SITE } from './script.ts';

const FORGES = { github: startGithubDouble, gitlab: startGitlabDouble, gitea: startGiteaDouble };
/** What each forge wants to see as the user of git beside a token. */
const GIT_USERS = { github: 'x-access-token', gitlab: 'oauth2', gitea: 'x-access-token' };

export interface AgentLab {
  platform: TestPlatform;
  tenant: Tenant;
  projectId: string;
  git: GitServer;
  forge: ForgeDouble;
  model: ModelServer;
  /** Commit of the published branch at the start. */
  base: string;
  create(prompt: string, body?: Record<string, unknown>): Promise<AgentJob>;
  read(id: string): Promise<AgentJob>;
  /** Polls as a client does; every state that was seen, the last one at the end. */
  poll(id: string): Promise<AgentJob[]>;
  /** Creates and polls to the end. */
  run(prompt: string, body?: Record<string, unknown>): Promise<AgentJob>;
  message(id: string, prompt: string): Promise<AgentJob>;
  /** What the workers have said of this job, and every fault. */
  story(id?: string): string;
  /** Runs git in the bare repository. */
  gitRead(...args: string[]): string;
  /** A commit by a person on a branch, with exactly these files of the site changed. */
  commitAs(branch: string, files: Record<string, string>): string;
  close(): Promise<void>;
}

export interface LabOptions {
  script?: (request: ScriptedRequest) => Answer;
  faults?: readonly FaultRule[];
  /** Milliseconds before each response of the model. */
  delayMs?: number;
  forge?: 'github' | 'gitlab' | 'gitea';
  roles?: readonly string[];
  env?: Record<string, string>;
  site?: Readonly<Record<string, string>>;
  folder?: string;
  /** Pushes and reads without a forge. */
  isPlain?: boolean;
}

export async function startAgentLab(options: LabOptions = {}): Promise<AgentLab> {
  const kind = options.forge ?? 'github';
  const folder = await mkdtemp(join(tmpdir(), 'offprint-agent-lab-'));
  const { key, cert, certFile } = makeCertificate(folder);
  const tls = { key, cert };
  const account = { username: GIT_USERS[kind], password: '' };
  const git = await startGitServer({ tls, account });
  const prefix = options.folder === undefined ? '' : `${options.folder}/`;
  const entries = Object.entries(options.site ?? SITE).map(([path, content]) => ({
    path: path.startsWith('.') ? path : `${prefix}${path}`,
    content,
  }));
  const base = await git.commit(`${REPOSITORY}.git`, entries);
  const forge = await FORGES[kind]({ gitRoot: git.root, repository: REPOSITORY, tls });
  account.password = forge.tokens.write;
  const model = await startModelServer({
    script: options.script ?? lineScript,
    ...(options.faults === undefined ? {} : { faults: options.faults }),
    ...(options.delayMs === undefined ? {} : { delayMs: options.delayMs }),
    apiKey: 'sk-lab-model-key-0123456789',
  });
  const platform = await startTestPlatform({
    ...(options.roles === undefined ? {} : { roles: options.roles }),
    env: {
      OFFPRINT_CA_FILE: certFile,
      OFFPRINT_ALLOW_PRIVATE_HOSTS: 'localhost,127.0.0.1',
      OFFPRINT_AGENT_PROVIDER: 'openai-compatible',
      OFFPRINT_AGENT_MODEL: 'scripted',
      OFFPRINT_AGENT_BASE_URL: model.url,
      OFFPRINT_AGENT_API_KEY: 'sk-lab-model-key-0123456789',
      OFFPRINT_AGENT_USES_PER_HOUR: '100000',
      ...options.env,
    },
  });
  const tenant = await platform.createTenant('pro');
  const ask = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const answer = await call(platform.url, method, path, {
      key: tenant.key,
      ...(body === undefined ? {} : { body }),
    });
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const makeProject = async (): Promise<{ id: string }> => {
    const made = (await ask('POST', '/v1/projects', {
      name: 'Acme',
      source: {
        kind: 'git',
        repository: `${git.url.replace('127.0.0.1', 'localhost')}/${REPOSITORY}.git`,
        ...(options.folder === undefined ? {} : { folder: options.folder }),
        credential: { kind: 'token', username: account.username, token: forge.tokens.write },
      },
    })) as { id: string };
    if (options.isPlain !== true) {
      await ask('PUT', `/v1/projects/${made.id}/agent`, {
        forge: {
          kind,
          apiUrl: forge.apiUrl,
          token: forge.tokens.write,
          ...(kind === 'gitea' ? { username: account.username } : {}),
        },
      });
    }
    return made;
  };
  // A platform that nobody stops outlives the tests.
  const project = await makeProject().catch(async (error: unknown) => {
    await platform.stop();
    throw error;
  });
  const at = `/v2/agent/${project.id}/job`;
  const gitDir = join(git.root, `${REPOSITORY}.git`);
  const runGit = (args: string[], input?: string): string =>
    execFileSync('git', ['-c', 'safe.directory=*', '--git-dir', gitDir, ...args], {
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH ?? '',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_AUTHOR_NAME: 'Ada',
        GIT_AUTHOR_EMAIL: 'ada@example.com',
        GIT_COMMITTER_NAME: 'Ada',
        GIT_COMMITTER_EMAIL: 'ada@example.com',
        GIT_INDEX_FILE: join(folder, 'index'),
      },
      ...(input === undefined ? {} : { input }),
      stdio: ['pipe', 'pipe', 'pipe'],
    }).trim();
  const lab: AgentLab = {
    platform,
    tenant,
    projectId: project.id,
    git,
    forge,
    model,
    base,
    create: async (prompt, body = {}) => (await ask('POST', at, { prompt, ...body })) as AgentJob,
    read: async (id) => (await ask('GET', `${at}/${id}`)) as AgentJob,
    message: async (id, prompt) => (await ask('POST', `${at}/${id}/message`, { prompt })) as AgentJob,
    async poll(id) {
      const seen: AgentJob[] = [];
      for (let round = 0; round < 900; round += 1) {
        const job = (await ask('GET', `${at}/${id}${round === 0 ? '' : '?wait=1'}`)) as AgentJob;
        seen.push(job);
        if (job.status !== 'active') return seen;
      }
      throw new Error(`the job ${id} does not end\n${lab.story(id)}`);
    },
    async run(prompt, body = {}) {
      const { id } = await lab.create(prompt, body);
      return (await lab.poll(id)).at(-1) as AgentJob;
    },
    story: (id = 'agentJobId') =>
      platform
        .log()
        .split('\n')
        .filter((line) => (line.includes(id) && !line.includes('"requestId"')) || line.includes('"err"'))
        .join('\n')
        .slice(-6_000),
    gitRead: (...args) => runGit(args),
    commitAs(branch, files) {
      runGit(['read-tree', branch]);
      for (const [path, content] of Object.entries(files)) {
        const blob = runGit(['hash-object', '-w', '--stdin'], content);
        runGit(['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`]);
      }
      const commit = runGit(['commit-tree', runGit(['write-tree']), '-p', branch, '-m', 'By a person']);
      runGit(['update-ref', `refs/heads/${branch}`, commit]);
      return commit;
    },
    async close() {
      await platform.stop();
      await model.close();
      await forge.close();
      await git.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return lab;
}
