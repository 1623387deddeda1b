/** Agent jobs without a platform: one folder, one process, the same loop, tools, checks and rules of writing. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CHILD_PROGRAMS } from '../child-programs.ts';
import { ConfigError, settings as names, readConfig } from '../config.ts';
import { createLogger } from '../platform/log.ts';
import { createModel } from '../platform/model/ai-sdk.ts';
import type { ModelPort, ModelPrice } from '../platform/model/port.ts';
import { createGuardedFetch } from '../platform/net/guarded-fetch.ts';
import { createSandbox } from '../platform/sandbox/sandbox.ts';
import { checkChanges, knownBaseline } from './check/check-changes.ts';
import { createDocsCheck } from './check/child-check.ts';
import { type CheckResult, completeFindings, type DocsCheck, type Finding } from './check/docs-check.ts';
import { diffOf } from './diff.ts';
import type { TurnLimits } from './loop/budget.ts';
import { createMemoryJournal } from './loop/memory-journal.ts';
import type { TurnResult } from './loop/open-turn.ts';
import { runTurn } from './loop/turn.ts';
import { sayNote, scanChanges } from './policy/diff-scan.ts';
import { inspectChanges } from './policy/inspect.ts';
import type { WritePolicy } from './policy/write-policy.ts';
import { projectFacts } from './prompt/project-facts.ts';
import { findInstructions } from './prompt/project-instructions.ts';
import { systemPrompt } from './prompt/system.ts';
import { type JobEvent, type JobUsage, notCheckedText } from './record.ts';
import { modelPolicy, resolveModel } from './settings.ts';
import { toolDefinitions } from './tools/registry.ts';
import { createWorkspace } from './workspace/overlay.ts';
import type { BaseTree, Change } from './workspace/workspace.ts';

export { ConfigError } from '../config.ts';
export {
  type AssistantPart,
  ModelError,
  type ModelPort,
  type StepRequest,
  type StepResult,
} from '../platform/model/port.ts';
export type { CheckResult, DocsCheck, Finding } from './check/docs-check.ts';
export { FolderError, readFolder, readText, repositoryOf, writeChanges } from './local/folder.ts';
export type { TurnLimits } from './loop/budget.ts';
export type { TurnResult } from './loop/open-turn.ts';
export type { JobEvent, JobUsage } from './record.ts';
export type { BaseTree, Change } from './workspace/workspace.ts';

/** Attempts to connect before the model has responded: with the delays between them, about ten seconds. */
const FIRST_CONNECTIONS = 3;

/** A model and what a turn may take of it. */
export interface LocalModel {
  port: ModelPort;
  /** Name that its provider knows it by. */
  name: string;
  contextWindow: number;
  maxOutput: number;
  price: ModelPrice | null;
  limits: TurnLimits;
  /** Values that must not appear in any file, such as its key. */
  secrets: readonly string[];
}

/** What arguments say in place of the environment. */
export interface ModelChoice {
  provider?: string | undefined;
  model?: string | undefined;
  baseUrl?: string | undefined;
}

/**
 * The model that OFFPRINT_AGENT_* name, with what is given in their place. The key comes from the environment only.
 * Throws ConfigError, which names the variable that is wrong or missing.
 */
export function openModel(
  env: Readonly<Record<string, string | undefined>>,
  choice: ModelChoice,
): LocalModel {
  const agent = Object.entries(env).filter(
    ([name]) => name.startsWith('OFFPRINT_AGENT_') || name === names.caFile.name,
  );
  const config = readConfig({
    ...Object.fromEntries(agent),
    ...(choice.provider === undefined ? {} : { [names.agentProvider.name]: choice.provider }),
    ...(choice.model === undefined ? {} : { [names.agentModel.name]: choice.model }),
    ...(choice.baseUrl === undefined ? {} : { [names.agentBaseUrl.name]: choice.baseUrl }),
  });
  const missing = (['agentProvider', 'agentModel', 'agentBaseUrl'] as const).find(
    (key) =>
      config[key] === undefined && (key !== 'agentBaseUrl' || config.agentProvider === 'openai-compatible'),
  );
  const settings = resolveModel({ config, key: Buffer.alloc(0) }, undefined);
  if (missing !== undefined || settings === null) {
    throw new ConfigError([{ name: names[missing ?? 'agentModel'].name, message: 'is needed' }]);
  }
  const fetch = createGuardedFetch({
    policy: modelPolicy(config, undefined),
    ...(config.caFile === undefined ? {} : { caFile: config.caFile }),
  });
  return {
    port: createModel(settings, { fetch }),
    name: settings.model,
    contextWindow: settings.contextWindow,
    maxOutput: settings.maxOutput,
    price: settings.price,
    secrets: settings.apiKey === null ? [] : [settings.apiKey],
    limits: {
      steps: config.agentSteps,
      minutes: config.agentMinutes,
      inputTokens: config.agentTurnInputTokens,
      outputTokens: config.agentTurnOutputTokens,
      costUsd: config.agentCostUsd,
    },
  };
}

export interface LocalJobOptions {
  base: BaseTree;
  /** Folder of the docs inside of the repository; default: its root. */
  docsFolder?: string;
  /** Text of a file of the repository, hidden ones too: where instructions for the agent are looked for. */
  readText(path: string): Promise<string | null>;
  model: LocalModel;
  signal: AbortSignal;
  /** Looks the docs over; default: sandbox children. */
  check?: DocsCheck;
  /** Findings of `base`, where they are known already. */
  baseline?: readonly Finding[];
  /** Receives every event after it is stored. */
  onEvent?(event: JobEvent): void;
  /** Called with the error of the model when it is asked again after `ms` milliseconds. */
  onRetry?(message: string, ms: number): void;
}

/** Work on one tree in memory, turn by turn. */
export interface LocalJob {
  /** Works on a prompt until its turn ends; waits for a model that has responded as long as a worker would. */
  run(prompt: string): Promise<TurnResult>;
  /** What differs from the base now. */
  changes(): Change[];
  /**
   * Checks the docs as they are now: all findings, and those that the base does not have. Throws when the
   * check has no result.
   */
  findings(): Promise<{ now: readonly Finding[]; new: readonly Finding[] }>;
  usage(): JobUsage;
  /**
   * Checks the changes as before publishing: content that must not be written, such as secrets and scripts; new code
   * that would run in the browsers of readers; and what else a person should review. One line each.
   */
  scan(): Promise<{ blocked: string[]; held: string[]; notes: string[] }>;
  /** Findings of the base; null: it could not be checked. */
  baseline: readonly Finding[] | null;
  /** Path of the instructions in use; null: none. */
  instructionsPath: string | null;
  close(): Promise<void>;
}

/** Opens work on a tree: checks it once, so that later findings can be distinguished from existing ones. */
export async function openLocalJob(options: LocalJobOptions): Promise<LocalJob> {
  const { base, model, signal, docsFolder = '', onRetry } = options;
  // Nothing is allowed beyond docs: a folder has no administrator who could allow it.
  const policy: WritePolicy = { docsFolder, allow: [] };
  const workDir = await mkdtemp(join(tmpdir(), 'offprint-agent-'));
  const close = () => rm(workDir, { recursive: true, force: true, maxRetries: 5 });
  try {
    const log = createLogger({ level: 'silent', format: 'json', role: 'agent' });
    const sandbox = createSandbox({ programs: CHILD_PROGRAMS, folder: join(workDir, 'sandbox'), log });
    const check = rememberLast(options.check ?? createDocsCheck({ sandbox, workDir, log }));
    const workspace = createWorkspace(base, new Map());
    const [before, instructions] = await Promise.all([
      options.baseline === undefined ? check.check(workspace, signal) : null,
      findInstructions(options.readText, docsFolder),
    ]);
    const findings = options.baseline ?? (before === null ? null : completeFindings(before));
    const baseline =
      findings === null ? (stop: AbortSignal) => check.check(workspace, stop) : knownBaseline(findings);
    const journal = createMemoryJournal(options.onEvent);
    const system = systemPrompt({
      facts: projectFacts(workspace),
      instructions: instructions?.text ?? '',
      template: '',
    });
    const now = () => createWorkspace(base, journal.state().overlay);
    const turn = () =>
      runTurn({
        model: model.port,
        contextWindow: model.contextWindow,
        maxOutput: model.maxOutput,
        price: model.price,
        system,
        tools: toolDefinitions(),
        base,
        baseline,
        policy,
        check,
        limits: model.limits,
        journal,
        review: async (workspace) => {
          const { blocked } = scanChanges(workspace.changes(), { policy, base, secrets: model.secrets });
          const { held, refused } = await inspectChanges(workspace, check, signal);
          return {
            held,
            refused: [...blocked, ...refused].map((note) => ({ path: note.path, text: sayNote(note) })),
          };
        },
        now: Date.now,
        firstConnections: FIRST_CONNECTIONS,
        sleep: (ms, stop) => delay(ms, undefined, { signal: stop }),
        ...(onRetry === undefined ? {} : { onRetry }),
        signal,
      });
    return {
      async run(prompt) {
        journal.begin(prompt);
        for (;;) {
          const result = await turn();
          if (result.kind !== 'waiting') return result;
          const ms = Math.max(0, result.until.getTime() - Date.now());
          onRetry?.(result.message, ms);
          await delay(ms, undefined, { signal });
        }
      },
      changes: () => now().changes(),
      async findings() {
        const workspace = now();
        const found = await checkChanges({ check, baseline }, workspace, signal);
        if (found.status === 'not_checked') throw new Error(notCheckedText(found));
        const { difference } = found;
        return { now: [...difference.new, ...difference.known], new: difference.new };
      },
      async scan() {
        const workspace = now();
        const { blocked, notes } = scanChanges(workspace.changes(), { policy, base, secrets: model.secrets });
        const { held, refused } = await inspectChanges(workspace, check, signal);
        return {
          blocked: [...blocked, ...refused].map(sayNote),
          held: held.map(sayNote),
          notes: notes.map(sayNote),
        };
      },
      usage: () => journal.state().usage,
      baseline: findings,
      instructionsPath: instructions?.path ?? null,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Caches the last check of the whole docs: the model often asks just before its turn ends, which asks again.
 * Holds for workspaces over one base.
 */
function rememberLast(check: DocsCheck): DocsCheck {
  let last: { overlay: string; result: CheckResult } | null = null;
  return {
    ...check,
    async check(workspace, signal) {
      const overlay = JSON.stringify([...workspace.overlay()]);
      if (last?.overlay === overlay) return last.result;
      const result = await check.check(workspace, signal);
      if (result.status === 'checked') last = { overlay, result };
      return result;
    },
  };
}

/** Changes as unified diffs that `git apply` takes. */
export function diffOfChanges(changes: readonly Change[]): ReturnType<typeof diffOf> {
  const bytes = (text: string | null): Buffer | null => (text === null ? null : Buffer.from(text));
  return diffOf(
    changes.map(({ path, before, after }) => ({ path, before: bytes(before), content: bytes(after) })),
  );
}
