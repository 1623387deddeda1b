/** Agent jobs on a server: start, follow, show. */
import { randomUUID } from 'node:crypto';
import type { AgentJob, AgentJobEvent, Client } from '@offprint/client';
import { clientSettings, projectSetting } from '../config.ts';
import { CliError, explain } from '../errors.ts';
import { createTalk, printable, printDiff, printJson } from '../output.ts';
import { onInterruption } from '../process/interruption.ts';
import { usageText } from './local.ts';
import { createProgress, oneLine, type Progress } from './progress.ts';

export interface ServerOptions {
  project?: string;
  server?: string;
  json?: boolean;
}

export interface FollowedOptions extends ServerOptions {
  timeout: number;
  idempotencyKey?: string;
}

export interface RemoteRunOptions extends FollowedOptions {
  branch?: string;
  base?: string;
  draft?: boolean;
  model?: string;
}

/** A client, and the project that is meant. */
async function connect(options: ServerOptions): Promise<{ client: Client; project: string }> {
  const project = projectSetting(options.project);
  const { createClient } = await import('@offprint/client');
  return { client: createClient(clientSettings(options.server)), project };
}

/** Creates a job and follows it to its end. */
export async function runRemote(prompt: string, options: RemoteRunOptions): Promise<void> {
  const { client, project } = await connect(options);
  await follow(client, project, options, (signal) =>
    client.createAgentJob(
      project,
      {
        prompt,
        ...(options.branch === undefined ? {} : { branch: options.branch }),
        ...(options.base === undefined ? {} : { baseBranch: options.base }),
        ...(options.draft === undefined ? {} : { draft: options.draft }),
        ...(options.model === undefined ? {} : { model: options.model }),
      },
      { signal, idempotencyKey: options.idempotencyKey ?? randomUUID() },
    ),
  );
}

/** Gives a job another prompt and follows it to its end. */
export async function sendMessage(id: string, prompt: string, options: FollowedOptions): Promise<void> {
  const { client, project } = await connect(options);
  await follow(client, project, options, (signal) =>
    client.sendAgentMessage(
      project,
      id,
      { prompt },
      { signal, idempotencyKey: options.idempotencyKey ?? randomUUID() },
    ),
  );
}

async function follow(
  client: Client,
  project: string,
  options: FollowedOptions,
  begin: (signal: AbortSignal) => Promise<AgentJob>,
): Promise<void> {
  const talk = createTalk({ quiet: options.json === true });
  const interrupt = new AbortController();
  const timeout = AbortSignal.timeout(Math.ceil(options.timeout * 1000));
  const signal = AbortSignal.any([timeout, interrupt.signal]);
  let id: string | null = null;
  const goesOn = (why: string): string =>
    id === null
      ? `${why}; whether the job was created is not known, see offprint agent list --project ${project}`
      : `${why}; the job goes on at the server\n  look at it   offprint agent show ${id} --project ${project}\n  stop it      offprint agent cancel ${id} --project ${project}`;
  const release = onInterruption(() => interrupt.abort(new CliError(130, goesOn('interrupted'))));
  try {
    const begun = await begin(signal);
    id = begun.id;
    talk.say(`job ${id}, model ${oneLine(begun.model)}`);
    const job = await watch(client, project, begun, createProgress(talk), signal);
    tellEnd(job, options, createProgress(talk));
  } catch (error) {
    talk.done();
    if (interrupt.signal.aborted) throw interrupt.signal.reason;
    if (timeout.aborted) throw new CliError(3, goesOn(`not finished in ${options.timeout} s`));
    throw await explain(error);
  } finally {
    release();
  }
}

/** Shows what happens from now on; resolves with the job when it is active no more. */
async function watch(
  client: Client,
  project: string,
  begun: AgentJob,
  progress: Progress,
  signal: AbortSignal,
): Promise<AgentJob> {
  const from = Date.parse(begun.updatedAt);
  // What a broken stream has told of a step is told again when it is opened anew.
  const told = new Set<string>();
  for await (const event of client.streamAgentJobEvents(project, begun.id, { signal })) {
    if (event.event === 'done') return event.data;
    const key = JSON.stringify(event);
    if (told.has(key) || Date.parse(event.data.at) < from) continue;
    told.add(key);
    tell(event, progress);
  }
  return client.waitForAgentJob(project, begun.id, { signal });
}

function tell(event: Exclude<AgentJobEvent, { event: 'done' }>, progress: Progress): void {
  switch (event.event) {
    case 'state':
      progress.at(event.data.phase, event.data.message);
      break;
    case 'message':
      progress.text(event.data.text);
      break;
    case 'tool':
      progress.tool(event.data.name, event.data.path, event.data.summary, event.data.isError);
      break;
    case 'plan':
      progress.plan(event.data.todos);
      break;
    case 'pull_request':
      progress.say(`pushed ${event.data.branch} at ${event.data.commit.slice(0, 12)}`);
      break;
    default:
  }
}

/** The result: data on standard output, the rest beside it. */
function tellEnd(job: AgentJob, options: ServerOptions, progress: Progress): void {
  if (options.json) printJson(job);
  if (job.status === 'failed') {
    const { code = 'internal', message = 'no reason given' } = job.failure ?? {};
    throw new CliError(1, printable(`job ${job.id} failed (${code}): ${message}`));
  }
  if (job.status === 'archived') throw new CliError(1, `job ${job.id} was archived`);
  if (options.json) return;
  if (job.stopped !== null) progress.say(`stopped early: ${job.stopped.message}`);
  if (job.needsInput !== null) progress.say(`question: ${job.needsInput}`);
  if (job.checks !== null) progress.say(`checks: ${checksText(job.checks)}`);
  const { modelCalls: calls, inputTokens: input, outputTokens: output, costUsd } = job.usage;
  progress.say(usageText({ calls, input, output, costUsd }));
  process.stdout.write(`${resultOf(job)}\n`);
}

/** The pull request; a branch where there are none; what was said where nothing changed. */
function resultOf(job: AgentJob): string {
  if (job.prLink !== null) return job.prLink;
  if (job.source.ref !== null) return `branch ${printable(job.source.ref)}`;
  return (job.summary ?? 'no file changed').split('\n').map(printable).join('\n');
}

export async function listJobs(
  options: ServerOptions & { status?: AgentJob['status']; limit: number },
): Promise<void> {
  const { client, project } = await connect(options);
  const { data } = await client
    .listAgentJobs(project, { status: options.status, limit: options.limit })
    .catch(rethrow);
  if (options.json) {
    printJson(data);
    return;
  }
  const width = Math.max(0, ...data.map(({ id }) => id.length));
  for (const job of data) {
    const when = job.createdAt.slice(0, 16).replace('T', ' ');
    const line = `${job.id.padEnd(width)}  ${job.status.padEnd(9)}  ${when}  ${oneLine(job.title)}`;
    process.stdout.write(`${line}${job.prLink === null ? '' : `  ${job.prLink}`}\n`);
  }
  if (data.length === 0) createTalk({ quiet: false }).say('no jobs');
}

export async function showJob(id: string, options: ServerOptions & { diff?: boolean }): Promise<void> {
  const { client, project } = await connect(options);
  if (options.diff === true) {
    const diff = await client.getAgentJobDiff(project, id).catch(rethrow);
    if (options.json) printJson(diff);
    else printDiff(diff.diff);
    return;
  }
  await print(client.getAgentJob(project, id), options);
}

export async function cancelJob(id: string, options: ServerOptions): Promise<void> {
  const { client, project } = await connect(options);
  await print(client.cancelAgentJob(project, id), options);
}

export async function archiveJob(id: string, options: ServerOptions): Promise<void> {
  const { client, project } = await connect(options);
  await print(client.archiveAgentJob(project, id), options);
}

async function rethrow(error: unknown): Promise<never> {
  throw await explain(error);
}

async function print(answer: Promise<AgentJob>, options: ServerOptions): Promise<void> {
  const job = await answer.catch(rethrow);
  if (options.json) printJson(job);
  else process.stdout.write(`${describe(job).join('\n')}\n`);
}

/** A job in lines of a name and a value. */
function describe(job: AgentJob): string[] {
  const { modelCalls: calls, inputTokens: input, outputTokens: output, costUsd } = job.usage;
  const rows: [name: string, value: string | null][] = [
    ['id', job.id],
    ['status', job.status],
    ['title', oneLine(job.title)],
    ['failure', job.failure === null ? null : `${job.failure.code}: ${oneLine(job.failure.message)}`],
    ['stopped', job.stopped === null ? null : `${job.stopped.code}: ${oneLine(job.stopped.message)}`],
    ['question', job.needsInput === null ? null : oneLine(job.needsInput)],
    ['pull request', job.prLink],
    ['branch', job.source.ref],
    ['repository', job.source.repository],
    ['model', job.model],
    ['checks', job.checks === null ? null : checksText(job.checks)],
    ['usage', usageText({ calls, input, output, costUsd })],
    ['created', job.createdAt],
    ['updated', job.updatedAt],
  ];
  const lines = rows.flatMap(([name, value]) =>
    value === null ? [] : [`${name.padEnd(13)} ${printable(value)}`],
  );
  const marks = { pending: '[ ]', in_progress: '[>]', completed: '[x]' } as const;
  const plan = job.todos.map(({ text, status }) => `  ${marks[status]} ${oneLine(text)}`);
  const summary = (job.summary ?? '').split('\n').map((line) => `  ${printable(line)}`.trimEnd());
  return [
    ...lines,
    ...(plan.length === 0 ? [] : ['plan', ...plan]),
    ...(job.summary === null ? [] : ['summary', ...summary]),
  ];
}

const checksText = (checks: NonNullable<AgentJob['checks']>): string =>
  checks.status === 'not_checked'
    ? `not checked: ${checks.reason ?? 'the check had no result.'}`
    : `${checks.new} new findings, ${checks.fixed} fixed`;
