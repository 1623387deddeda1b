import { type Command, InvalidArgumentError, Option } from 'commander';
import type { BenchOptions } from '../agent/bench/command.ts';
import type { LocalOptions } from '../agent/local.ts';
import type { FollowedOptions, RemoteRunOptions, ServerOptions } from '../agent/remote.ts';
import { CliError } from '../errors.ts';
import { parseSeconds } from './shared.ts';

const KEY_HELP =
  'The API key is read from OFFPRINT_API_KEY, or from the file named by OFFPRINT_API_KEY_FILE.';
const MODEL_HELP =
  'The key of the model is read from OFFPRINT_AGENT_API_KEY; the context window, prices and limits\nfrom the other OFFPRINT_AGENT_ variables.';
const CODES =
  'Exit codes: 0 success, 1 the job failed, 2 wrong usage, key or rights, 3 timed out, 130 interrupted.';

export function addAgentCommand(program: Command): void {
  const agent = program
    .command('agent')
    .description('let an agent edit docs, on a server or in a local folder')
    .configureHelp({ sortSubcommands: false });
  addRun(agent);
  addMessage(agent);
  addList(agent);
  addOfJob(agent);
  addBench(agent);
}

const withServer = (command: Command): Command =>
  command
    .option('-p, --project <id>', 'project of the docs; default: OFFPRINT_PROJECT')
    .option('--server <url>', 'URL of the server; default: OFFPRINT_URL')
    .option('--json', 'print the result as one line of JSON');

const timeoutOption = (): Option =>
  new Option('--timeout <seconds>', 'maximum time to wait').argParser(parseSeconds).default(3600);

function addRun(agent: Command): void {
  withServer(agent.command('run'))
    .description('send a prompt to the agent, show its progress and print the pull request')
    .argument('<prompt>', 'task for the agent')
    .option('--branch <name>', 'branch to push to; default: derived from the title')
    .option('--base <branch>', 'branch to start from; default: the published one')
    .option('--draft', 'open the pull request as a draft')
    .option('--model <name>', 'model to use; default: the configured one')
    .addOption(timeoutOption())
    .option(
      '--idempotency-key <key>',
      'the same key returns the same job, so that a retry creates no second one',
    )
    .option('--local <dir>', 'edit this folder, without a server')
    .option('--dry-run', 'with --local: show the changes without writing them')
    .option('--allow-code', 'with --local: also write new code that runs in the browsers of readers')
    .option('--provider <name>', 'with --local: anthropic, openai or openai-compatible')
    .option('--base-url <url>', 'with --local: URL of the model')
    .addHelpText(
      'after',
      `
${KEY_HELP}
With --local, the changes are shown and written at the end, all of them or none. Nothing is pushed.
${MODEL_HELP}
${CODES}

Examples:
  $ offprint agent run -p prj_1 "Add a page on rate limits and link it from the quickstart"
  $ offprint agent run -p prj_1 --base v2 --draft "Fix the broken links"
  $ offprint agent run --local docs --provider openai-compatible --base-url http://127.0.0.1:11434/v1 \\
      --model qwen3 "Fix the broken links" --dry-run`,
    )
    .action(run);
}

type RunOptions = RemoteRunOptions & Partial<LocalOptions>;

async function run(prompt: string, options: RunOptions): Promise<void> {
  checkPrompt(prompt);
  const { local } = options;
  const here = ['dryRun', 'allowCode', 'provider', 'baseUrl'] as const;
  const there = ['project', 'server', 'branch', 'base', 'draft', 'idempotencyKey'] as const;
  const wrong = (local === undefined ? here : there).find((name) => options[name] !== undefined);
  if (wrong !== undefined) {
    const option = `--${wrong.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    throw new CliError(
      2,
      local === undefined ? `${option} requires --local.` : `${option} cannot be combined with --local.`,
    );
  }
  if (local === undefined) {
    const { runRemote } = await import('../agent/remote.ts');
    await runRemote(prompt, options);
  } else {
    const { runLocal } = await import('../agent/local.ts');
    await runLocal(prompt, { ...options, local });
  }
}

function checkPrompt(prompt: string): void {
  if (prompt.trim() === '') throw new CliError(2, 'The prompt is empty. Describe the task.');
}

function addMessage(agent: Command): void {
  withServer(agent.command('message'))
    .description('send another prompt to a job; it keeps its branch and pull request')
    .argument('<job>', 'id of the job')
    .argument('<prompt>', 'next task for the agent')
    .addOption(timeoutOption())
    .option('--idempotency-key <key>', 'the same key sends one message, so that a retry sends no second one')
    .addHelpText(
      'after',
      `
${CODES}

Examples:
  $ offprint agent message job_7d1e0c3b -p prj_1 "Shorten the section on retries"`,
    )
    .action(async (job: string, prompt: string, options: FollowedOptions) => {
      checkPrompt(prompt);
      const { sendMessage } = await import('../agent/remote.ts');
      await sendMessage(job, prompt, options);
    });
}

type ListOptions = ServerOptions & {
  status?: 'active' | 'completed' | 'archived' | 'failed';
  limit: number;
};

function addList(agent: Command): void {
  withServer(agent.command('list'))
    .description('list the newest jobs of a project')
    .addOption(
      new Option('--status <status>', 'only jobs with this status').choices([
        'active',
        'completed',
        'archived',
        'failed',
      ]),
    )
    .addOption(
      new Option('--limit <count>', 'maximum number of jobs, 1 to 100')
        .argParser(parseCount(100))
        .default(20),
    )
    .addHelpText('after', '\nExamples:\n  $ offprint agent list -p prj_1 --status active')
    .action(async (options: ListOptions) => {
      const { listJobs } = await import('../agent/remote.ts');
      await listJobs(options);
    });
}

function addOfJob(agent: Command): void {
  withServer(agent.command('show'))
    .description('show the state, plan and pull request of a job')
    .argument('<job>', 'id of the job')
    .option('--diff', 'print the changes of the job as a diff')
    .addHelpText('after', '\nExamples:\n  $ offprint agent show job_7d1e0c3b -p prj_1 --diff | git apply')
    .action(async (job: string, options: ServerOptions & { diff?: boolean }) => {
      const { showJob } = await import('../agent/remote.ts');
      await showJob(job, options);
    });
  withServer(agent.command('cancel'))
    .description('stop an active job; it keeps its changes for a next message')
    .argument('<job>', 'id of the job')
    .action(async (job: string, options: ServerOptions) => {
      const { cancelJob } = await import('../agent/remote.ts');
      await cancelJob(job, options);
    });
  withServer(agent.command('archive'))
    .description('close a job permanently; its branch and pull request remain')
    .argument('<job>', 'id of the job')
    .action(async (job: string, options: ServerOptions) => {
      const { archiveJob } = await import('../agent/remote.ts');
      await archiveJob(job, options);
    });
}

function addBench(agent: Command): void {
  agent
    .command('bench')
    .description('measure a model with 25 documentation tasks')
    .option('--model <name>', 'model to measure; default: OFFPRINT_AGENT_MODEL')
    .option('--provider <name>', 'anthropic, openai or openai-compatible; default: OFFPRINT_AGENT_PROVIDER')
    .option('--base-url <url>', 'URL of the model; default: OFFPRINT_AGENT_BASE_URL')
    .addOption(new Option('--runs <count>', 'runs per task, 1 to 100').argParser(parseCount(100)).default(3))
    .option('--task <numbers>', 'numbers of the tasks to run, separated by commas', parseTasks)
    .option('--json <file>', 'write one line of JSON per run to this file')
    .addHelpText(
      'after',
      `
The docs for the tasks are part of the command. It reads none of your files and pushes nothing.
${MODEL_HELP}
Exit codes: 0 all tasks ran, even if some failed; 1 no response from the model; 2 wrong usage; 130 interrupted.

Examples:
  $ offprint agent bench --provider anthropic --model claude-sonnet-4-5 --json runs.jsonl
  $ offprint agent bench --task 10,15 --runs 1`,
    )
    .action(async (options: BenchOptions) => {
      const { bench } = await import('../agent/bench/command.ts');
      await bench(options);
    });
}

const parseCount =
  (max: number) =>
  (text: string): number => {
    const count = Number(text);
    if (!Number.isInteger(count) || count < 1 || count > max)
      throw new InvalidArgumentError(`Use a number from 1 to ${max}.`);
    return count;
  };

function parseTasks(text: string): number[] {
  const tasks = text.split(',').map((part) => Number(part.trim()));
  if (tasks.some((task) => !Number.isInteger(task) || task < 1))
    throw new InvalidArgumentError('Use numbers of tasks separated by commas, such as 1,2.');
  return tasks;
}
