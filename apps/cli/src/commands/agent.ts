import { type Command, InvalidArgumentError, Option } from 'commander';
import type { BenchOptions } from '../agent/bench/command.ts';
import type { LocalOptions } from '../agent/local.ts';
import type { FollowedOptions, RemoteRunOptions, ServerOptions } from '../agent/remote.ts';
import { CliError } from '../errors.ts';
import { parseSeconds } from './shared.ts';

const KEY_HELP = 'The key is read from OFFPRINT_API_KEY, or from the file that OFFPRINT_API_KEY_FILE names.';
const MODEL_HELP =
  'The key of the model is read from OFFPRINT_AGENT_API_KEY only; context window, prices and limits\nfrom the other OFFPRINT_AGENT_ variables.';
const CODES =
  'Exit codes: 0 done, 1 the job failed, 2 usage, key or rights, 3 not finished in time, 130 interrupted.';

export function addAgentCommand(program: Command): void {
  const agent = program
    .command('agent')
    .description('let an agent change docs, on a server or in a folder here')
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
    .option('--server <url>', 'address of the server; default: OFFPRINT_URL')
    .option('--json', 'print the result as one line of JSON');

const timeoutOption = (): Option =>
  new Option('--timeout <seconds>', 'how long to wait').argParser(parseSeconds).default(3600);

function addRun(agent: Command): void {
  withServer(agent.command('run'))
    .description('give the agent a prompt, show its work and print the pull request')
    .argument('<prompt>', 'what to do')
    .option('--branch <name>', 'branch to push to; default: made from the title')
    .option('--base <branch>', 'branch to start from; default: the published one')
    .option('--draft', 'open the pull request as a draft')
    .option('--model <name>', 'model to use; default: the configured one')
    .addOption(timeoutOption())
    .option('--idempotency-key <key>', 'repeat a call safely: the same key gives the same job')
    .option('--local <dir>', 'work on this folder, without a server')
    .option('--dry-run', 'with --local: show the changes and write nothing')
    .option('--provider <name>', 'with --local: anthropic, openai or openai-compatible')
    .option('--base-url <url>', 'with --local: address of the model')
    .addHelpText(
      'after',
      `
${KEY_HELP}
With --local the changes are shown and written at the end, all or none of them; nothing is pushed.
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
  const here = ['dryRun', 'provider', 'baseUrl'] as const;
  const there = ['project', 'server', 'branch', 'base', 'draft', 'idempotencyKey'] as const;
  const wrong = (local === undefined ? here : there).find((name) => options[name] !== undefined);
  if (wrong !== undefined) {
    const option = `--${wrong.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    throw new CliError(2, `${option} goes ${local === undefined ? 'with --local only' : 'not with --local'}`);
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
  if (prompt.trim() === '') throw new CliError(2, 'the prompt is empty: say what to do');
}

function addMessage(agent: Command): void {
  withServer(agent.command('message'))
    .description('give a job another prompt: same branch, same pull request')
    .argument('<job>', 'id of the job')
    .argument('<prompt>', 'what to do next')
    .addOption(timeoutOption())
    .option('--idempotency-key <key>', 'repeat a call safely: the same key sends one message')
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
      new Option('--status <status>', 'jobs of this status only').choices([
        'active',
        'completed',
        'archived',
        'failed',
      ]),
    )
    .addOption(new Option('--limit <count>', 'how many, 1 to 100').argParser(parseCount(100)).default(20))
    .addHelpText('after', '\nExamples:\n  $ offprint agent list -p prj_1 --status active')
    .action(async (options: ListOptions) => {
      const { listJobs } = await import('../agent/remote.ts');
      await listJobs(options);
    });
}

function addOfJob(agent: Command): void {
  withServer(agent.command('show'))
    .description('show state, plan and pull request of a job')
    .argument('<job>', 'id of the job')
    .option('--diff', 'print what the job has changed, as a diff')
    .addHelpText('after', '\nExamples:\n  $ offprint agent show job_7d1e0c3b -p prj_1 --diff | git apply')
    .action(async (job: string, options: ServerOptions & { diff?: boolean }) => {
      const { showJob } = await import('../agent/remote.ts');
      await showJob(job, options);
    });
  withServer(agent.command('cancel'))
    .description('stop an active job; what it changed is kept for a message')
    .argument('<job>', 'id of the job')
    .action(async (job: string, options: ServerOptions) => {
      const { cancelJob } = await import('../agent/remote.ts');
      await cancelJob(job, options);
    });
  withServer(agent.command('archive'))
    .description('put a job away for good; its branch and pull request stay')
    .argument('<job>', 'id of the job')
    .action(async (job: string, options: ServerOptions) => {
      const { archiveJob } = await import('../agent/remote.ts');
      await archiveJob(job, options);
    });
}

function addBench(agent: Command): void {
  agent
    .command('bench')
    .description('measure a model on 15 tasks of writing docs')
    .option('--model <name>', 'model to measure; default: OFFPRINT_AGENT_MODEL')
    .option('--provider <name>', 'anthropic, openai or openai-compatible; default: OFFPRINT_AGENT_PROVIDER')
    .option('--base-url <url>', 'address of the model; default: OFFPRINT_AGENT_BASE_URL')
    .addOption(
      new Option('--runs <count>', 'runs of each task, 1 to 100').argParser(parseCount(100)).default(3),
    )
    .option('--task <numbers>', 'these tasks only, with commas between', parseTasks)
    .option('--json <file>', 'write a line of JSON for each run into this file')
    .addHelpText(
      'after',
      `
The docs that the tasks work on come with the command; nothing of yours is read, nothing is pushed.
${MODEL_HELP}
Exit codes: 0 all was run, whatever passed; 1 the model did not answer; 2 usage; 130 interrupted.

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
  (most: number) =>
  (text: string): number => {
    const count = Number(text);
    if (!Number.isInteger(count) || count < 1 || count > most)
      throw new InvalidArgumentError(`a number from 1 to ${most}.`);
    return count;
  };

function parseTasks(text: string): number[] {
  const tasks = text.split(',').map((part) => Number(part.trim()));
  if (tasks.some((task) => !Number.isInteger(task) || task < 1))
    throw new InvalidArgumentError('numbers of tasks with commas between, such as 1,2.');
  return tasks;
}
