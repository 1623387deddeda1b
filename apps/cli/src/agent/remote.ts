/** Agent jobs on a server: create, follow, show. */
import { randomUUID } from 'node:crypto';
import type { AgentJob, AgentJobEvent, Client } from '@offprint/client';
import { clientSettings, ownCommand, projectSetting } from '../config.ts';
import { CliError, explain } from '../errors.ts';
import { createTalk, printable, printDiff, printJson } from '../output.ts';
import { shellWord } from '../printable.ts';
import { onInterruption } from '../process/interruption.ts';
import { outageText, throughOutages } from '../process/outage.ts';
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

/** A client and the id of the project. */
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

/** Sends another prompt to a job and follows it to its end. */
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
  start: (signal: AbortSignal) => Promise<AgentJob>,
): Promise<void> {
  const talk = createTalk({ quiet: options.json === true });
  const interrupt = new AbortController();
  const timeout = AbortSignal.timeout(Math.ceil(options.timeout * 1000));
  const signal = AbortSignal.any([timeout, interrupt.signal]);
  let id: string | null = null;
  const flags = [
    ['project', project],
    ['server', options.server],
  ]
    .flatMap(([name, value]) => (value === undefined ? [] : [` --${name} ${shellWord(value)}`]))
    .join('');
  const unfinishedText = (reason: string): string =>
    id === null
      ? `${reason}. The job may have been created. To check, run: ${ownCommand(`agent list${flags}`)}`
      : `${reason}. The job continues on the server.\n  To show it:  ${ownCommand(`agent show ${id}${flags}`)}\n  To stop it:  ${ownCommand(`agent cancel ${id}${flags}`)}`;
  const release = onInterruption(() => interrupt.abort(new CliError(130, unfinishedText('Interrupted'))));
  try {
    const started = await start(signal);
    id = started.id;
    talk.say(`Job ${id}, model ${oneLine(started.model)}`);
    const job = await watch(client, project, started, createProgress(talk), signal);
    reportResult(job, options, createProgress(talk));
  } catch (error) {
    talk.done();
    if (interrupt.signal.aborted) throw interrupt.signal.reason;
    if (timeout.aborted) throw new CliError(3, unfinishedText(`Timed out after ${options.timeout} s`));
    const outage = id === null ? null : await outageText(error);
    if (outage === null) throw await explain(error);
    throw new CliError(1, unfinishedText(printable(outage)), { cause: error });
  } finally {
    release();
  }
}

/** Prints new events. Resolves with the job when it is no longer active, also after outages of the server. */
function watch(
  client: Client,
  project: string,
  started: AgentJob,
  progress: Progress,
  signal: AbortSignal,
): Promise<AgentJob> {
  const from = Date.parse(started.updatedAt);
  // A stream that reconnects repeats the events of the current step.
  const seen = new Set<string>();
  return throughOutages({
    async attempt(onContact) {
      for await (const event of client.streamAgentJobEvents(project, started.id, { signal })) {
        onContact();
        if (event.event === 'done') return event.data;
        if (event.event === 'pending' || event.event === 'text') continue;
        const key = JSON.stringify(event);
        if (seen.has(key) || Date.parse(event.data.at) < from) continue;
        seen.add(key);
        report(event, progress);
      }
      return client.waitForAgentJob(project, started.id, { signal, onProgress: onContact });
    },
    onOutage: (reason) => progress.say(`${reason}. The job is not lost. Trying again.`),
  });
}

function report(
  event: Exclude<AgentJobEvent, { event: 'done' | 'pending' | 'text' }>,
  progress: Progress,
): void {
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
      progress.say(`Pushed ${event.data.branch} at ${event.data.commit.slice(0, 12)}`);
      break;
    default:
  }
}

/** Reports the result: data on standard output, messages on standard error. */
function reportResult(job: AgentJob, options: ServerOptions, progress: Progress): void {
  if (options.json) printJson(job);
  if (job.status === 'failed') {
    const { code = 'internal', message = 'no reason given' } = job.failure ?? {};
    throw new CliError(1, printable(`Job ${job.id} failed (${code}): ${message}`));
  }
  if (job.status === 'archived') throw new CliError(1, `Job ${job.id} was archived`);
  if (options.json) return;
  if (job.stopped !== null) progress.say(`Stopped early: ${job.stopped.message}`);
  for (const { path, line, message } of job.heldCode) {
    const place = path === '' ? '' : `${path}${line === null ? '' : `:${line}`} `;
    progress.say(`New code for the browsers of readers, review it: ${oneLine(`${place}${message}`)}`);
  }
  if (job.needsInput !== null) progress.say(`Question: ${job.needsInput}`);
  if (job.checks !== null) progress.say(`Checks: ${checksText(job.checks)}`);
  const { modelCalls: calls, inputTokens: input, outputTokens: output, costUsd } = job.usage;
  progress.say(usageText({ calls, input, output, costUsd }));
  process.stdout.write(`${resultOf(job)}\n`);
}

/** The pull request; the branch if the forge has no pull requests; the summary if nothing changed. */
function resultOf(job: AgentJob): string {
  if (job.prLink !== null) return job.prLink;
  if (job.source.ref !== null) return `branch ${printable(job.source.ref)}`;
  return (job.summary ?? 'No files changed').split('\n').map(printable).join('\n');
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
  if (data.length === 0) createTalk({ quiet: false }).say('No jobs');
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

async function print(request: Promise<AgentJob>, options: ServerOptions): Promise<void> {
  const job = await request.catch(rethrow);
  if (options.json) printJson(job);
  else process.stdout.write(`${describe(job).join('\n')}\n`);
}

/** A job as lines with a name and a value. */
function describe(job: AgentJob): string[] {
  const { modelCalls: calls, inputTokens: input, outputTokens: output, costUsd } = job.usage;
  const rows: [name: string, value: string | null][] = [
    ['id', job.id],
    ['status', job.status],
    ['title', oneLine(job.title)],
    ['failure', job.failure === null ? null : `${job.failure.code}: ${oneLine(job.failure.message)}`],
    ['stopped', job.stopped === null ? null : `${job.stopped.code}: ${oneLine(job.stopped.message)}`],
    ['new code', job.heldCode.length === 0 ? null : `${job.heldCode.length} places to review`],
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
    ? `not checked: ${checks.reason ?? 'The check returned no result.'}`
    : `${checks.new} new findings, ${checks.fixed} fixed`;
