import {
  type AgentFinding,
  type AgentJob,
  type AgentJobStatus,
  type AgentTodo,
  agentTodo,
  keyPattern,
} from '@offprint/contract';
import type { AgentPhase } from '../platform/db/database.ts';
import type { ServerEvent } from '../platform/http/route.ts';
import { roundCost } from '../platform/model/cost.ts';
import type { ToolCall } from '../platform/model/port.ts';
import type { Finding } from './check/docs-check.ts';
import { repositoryPath } from './policy/paths.ts';
import type { CheckSummary, EventBody, JobPullRequest, JobUsage, TurnOutcome } from './record.ts';
import { ACTIVE_PHASES } from './state.ts';
import type { JobView } from './store.ts';

/** Bytes of the result of a tool that people who watch are shown. */
const SUMMARY_BYTES = 2_000;
const PATH_CHARACTERS = 300;

/** The state of the API that a phase is shown as. */
export function statusOf(phase: AgentPhase): AgentJobStatus {
  if (phase === 'idle') return 'completed';
  return phase === 'failed' || phase === 'archived' ? phase : 'active';
}

/** The phases that are shown as a state. */
export function phasesOf(status: AgentJobStatus): readonly AgentPhase[] {
  if (status === 'active') return ACTIVE_PHASES;
  return [status === 'completed' ? 'idle' : status];
}

/** A job as the API shows it. */
export function presentJob(row: JobView): AgentJob {
  const status = statusOf(row.phase);
  const isActive = status === 'active';
  const outcome = isActive ? null : (row.outcome as TurnOutcome | null);
  const usage = row.usage as JobUsage;
  const checks = row.checks as CheckSummary | null;
  return {
    id: row.id,
    status,
    source: { repository: urlOf(row.repository), ref: row.pushed_sha === null ? null : row.branch },
    model: row.model,
    prLink: isActive ? null : linkOf(row.pr_link),
    createdAt: row.created_at.toISOString(),
    archivedAt: row.archived_at?.toISOString() ?? null,
    title: row.title ?? row.subject,
    summary: outcome?.summary ?? null,
    needsInput: outcome?.needsInput ?? null,
    failure:
      isActive || row.failure_code === null
        ? null
        : { code: row.failure_code, message: row.failure_message ?? 'The job failed.' },
    stopped: outcome?.stopped ?? null,
    heldCode: (outcome?.held ?? []).map(({ path, line, message }) => ({ path, line, message })),
    todos: todosOf(row.plan),
    checks:
      checks === null
        ? null
        : {
            status: checks.status ?? 'checked',
            reason: checks.reason ?? null,
            new: checks.new,
            fixed: checks.fixed,
          },
    findings: (checks?.findings ?? []).map((one) => presentFinding(one, row)),
    pullRequests: (row.pull_requests as JobPullRequest[]).flatMap(({ number, url, branch, state }) =>
      linkOf(url) === null ? [] : [{ number, url, branch, state }],
    ),
    usage: {
      modelCalls: countOf(usage.calls),
      inputTokens: countOf(usage.input),
      outputTokens: countOf(usage.output),
      cacheReadTokens: countOf(usage.cacheRead),
      cacheWriteTokens: countOf(usage.cacheWrite),
      reasoningTokens: countOf(usage.reasoning),
      costUsd: usage.costUsd === null ? null : roundCost(usage.costUsd),
    },
    updatedAt: row.updated_at.toISOString(),
  };
}

/** A link as a forge gave it, if it is one that a page may carry. */
function linkOf(text: string | null): string | null {
  return text !== null && /^https?:\/\//i.test(text) && URL.canParse(text) ? text : null;
}

function presentFinding({ file, line, code, message, severity }: Finding, row: JobView): AgentFinding {
  const url = placeUrl(row, file, line);
  return { file, line, code, message: hideKeys(message), severity, url };
}

/** Where a place of the branch is shown by the forge; the URL of the pull request shows which forge it is. */
function placeUrl(row: JobView, file: string, line: number | null): string | null {
  const last = (row.pull_requests as JobPullRequest[]).findLast(({ branch }) => branch === row.branch);
  const pull = linkOf(last?.url ?? null);
  if (pull === null || row.branch === null) return null;
  const form = /^(.+?)\/(?:(-\/)merge_requests|(pulls)|pull)\/\d+$/.exec(pull);
  if (form === null) return null;
  const [, root, gitlab, gitea] = form;
  const blob = gitlab === undefined ? (gitea === undefined ? 'blob' : 'src/branch') : '-/blob';
  const parts = [row.branch, repositoryPath(file, (row.outcome as TurnOutcome | null)?.docsFolder ?? '')].map(
    (part) => part.split('/').map(encodeURIComponent).join('/'),
  );
  return `${root}/${blob}/${parts.join('/')}${line === null ? '' : `#L${line}`}`;
}

/** A number of things, whatever a server of models has said. */
function countOf(value: number): number {
  return Number.isFinite(value) && value > 0 ? Math.trunc(value) : 0;
}

/** A URL for people and programs: the form of scp is none. */
function urlOf(repository: string): string {
  const scp = /^([^@/:]+@(?:\[[^\]]+\]|[^:/@]+)):(?!\/\/)(.+)$/.exec(repository);
  if (scp === null) return repository;
  return `ssh://${scp[1]}/${scp[2]?.replace(/^\/+/, '')}`;
}

function todosOf(plan: unknown): AgentTodo[] {
  const todos = agentTodo.array().safeParse(plan);
  return todos.success ? todos.data : [];
}

/** The start of a prompt, for a list. */
export function subjectOf(prompt: string): string {
  const line = prompt.trim().split(/[\r\n]/, 1)[0] ?? '';
  const plain = line.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  const characters = [...plain];
  return characters.length <= 100 ? plain : `${characters.slice(0, 99).join('').trimEnd()}…`;
}

/** An event as it is stored. */
export interface StoredEvent {
  seq: number;
  turn: number;
  body: unknown;
  at: Date;
}

/**
 * What people who watch are shown of an event; some events are hidden. `calls` are those of the model that
 * the results belong to. The last of several carries the id: a stream that broke between them resumes with
 * all of them.
 */
export function presentEvent(stored: StoredEvent, calls: readonly ToolCall[]): ServerEvent[] {
  const { seq, turn, at } = stored;
  const told = tell(stored.body as EventBody, calls);
  return told.map(([event, data], index) => ({
    ...(index === told.length - 1 ? { id: String(seq) } : {}),
    event,
    data: { seq, turn, at: at.toISOString(), ...data },
  }));
}

function tell(body: EventBody, calls: readonly ToolCall[]): [string, object][] {
  switch (body.kind) {
    case 'state': {
      const { phase, message = null, until = null } = body;
      return [['state', { phase, status: statusOf(phase as AgentPhase), message, until }]];
    }
    case 'prompt':
      return [['prompt', { text: hideKeys(body.text) }]];
    case 'assistant': {
      const text = body.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
      return text.trim() === '' ? [] : [['message', { text: hideKeys(text) }]];
    }
    case 'results':
      return body.results.flatMap(({ id, name, output, isError }) => {
        const input = calls.find((call) => call.id === id)?.input;
        const tool: [string, object] = [
          'tool',
          {
            name: name.slice(0, 100),
            path: pathOf(input),
            summary: hideKeys(cutBytes(output, SUMMARY_BYTES)),
            isError,
          },
        ];
        const todos = name === 'update_plan' && !isError ? todosOf(fieldOf(input, 'items')) : [];
        return todos.length === 0 ? [tool] : [tool, ['plan', { todos }] as [string, object]];
      });
    case 'published': {
      const { branch, commit, prLink } = body;
      return [['pull_request', { branch, commit, prLink: linkOf(prLink) }]];
    }
    case 'notice':
      return [['notice', { text: hideKeys(cutBytes(body.text, 2 * SUMMARY_BYTES)) }]];
    case 'compaction':
      return [];
  }
}

/** The calls in an event of the model. */
export function callsOf(body: EventBody | undefined): ToolCall[] {
  if (body?.kind !== 'assistant') return [];
  return body.parts.filter((part) => part.type === 'tool-call');
}

/** File or folder that a call is about, as the model wrote it. */
function pathOf(input: unknown): string | null {
  const path = fieldOf(input, 'path') ?? fieldOf(input, 'from');
  return typeof path === 'string' ? hideKeys(path.slice(0, PATH_CHARACTERS).toWellFormed()) : null;
}

function fieldOf(input: unknown, name: string): unknown {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, name)) return undefined;
  return (input as Record<string, unknown>)[name];
}

function cutBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  // As a stream: a character that is cut in two is left out.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, most), { stream: true });
}

/** A key of this platform that somebody pasted into a prompt or a page is not passed on. */
export function hideKeys(text: string): string {
  return text.replace(new RegExp(keyPattern, 'g'), 'offprint_********');
}
