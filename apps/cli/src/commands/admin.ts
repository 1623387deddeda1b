import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AuditOptions } from '../admin/audit.ts';
import type { CreateKeyOptions } from '../admin/keys.ts';
import type { JsonOption, ListOptions } from '../admin/organizations.ts';
import type { RetentionOptions } from '../admin/retention.ts';
import type { CreateUserOptions } from '../admin/users.ts';
import { collect } from './shared.ts';

const PLANS = ['free', 'pro', 'enterprise'] as const;
const ROLES = ['viewer', 'editor', 'admin'] as const;
const SCOPES = [
  'exports:read',
  'exports:write',
  'agent:read',
  'agent:write',
  'projects:read',
  'projects:write',
  'discovery:read',
  'organization:read',
  'organization:write',
] as const satisfies CreateKeyOptions['scope'];

const ABOUT = `
Works directly on the database, with the settings of the servers (OFFPRINT_*, DATABASE_URL), even if no server runs
or nobody can sign in. Identify an organization by its id or name, and a user by the email address.
The audit log records every change.
Exit codes: 0 success, 1 the database or the program failed, 2 wrong usage, or the request is not possible.`;

export function addAdminCommand(program: Command): void {
  const admin = program
    .command('admin')
    .description('manage organizations, users, keys, jobs and workers of an installation')
    .configureHelp({ sortSubcommands: false })
    .addHelpText(
      'after',
      `${ABOUT}

Examples:
  $ offprint admin organization create "Acme" --plan enterprise --admin ada@example.com
  $ offprint admin user reset-password ada@example.com
  $ offprint admin key create Acme --name "release pipeline" > key.txt
  $ offprint admin audit --organization Acme --file csv > acme.csv
  $ offprint admin queue pause export`,
    );
  addOrganization(admin);
  addUser(admin);
  addMember(admin);
  addKey(admin);
  addAudit(admin);
  addJob(admin);
  addQueue(admin);
  addWorker(admin);
  addRetention(admin);
}

const withJson = (command: Command): Command =>
  command.option('--json', 'print the result as one line of JSON');

const limitOption = (standard: number): Option =>
  new Option('--limit <count>', 'maximum number of entries, 1 to 10000')
    .argParser(parseLimit)
    .default(standard);

function parseLimit(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > 10_000)
    throw new InvalidArgumentError('Use a number from 1 to 10000.');
  return count;
}

const oneOf =
  <Word extends string>(words: readonly Word[]) =>
  (text: string): Word => {
    const word = words.find((known) => known === text);
    if (word === undefined) throw new InvalidArgumentError(`Must be one of: ${words.join(', ')}.`);
    return word;
  };

function addOrganization(admin: Command): void {
  const organization = admin
    .command('organization')
    .description('list, create, change or delete organizations');
  withJson(organization.command('list'))
    .description('list organizations, newest first')
    .option('--search <text>', 'part of a name or of the email address of a member')
    .addOption(limitOption(100))
    .addHelpText('after', '\nExample:\n  $ offprint admin organization list --search acme')
    .action(async (options: ListOptions) => {
      const { listOrganizations } = await import('../admin/organizations.ts');
      await listOrganizations(options);
    });
  withJson(organization.command('create'))
    .description('create an organization and print its id')
    .argument('<name>', 'display name')
    .addOption(new Option('--plan <plan>', 'default: OFFPRINT_DEFAULT_PLAN').choices([...PLANS]))
    .option('--admin <email>', 'user who becomes its admin')
    .addHelpText(
      'after',
      '\nExample:\n  $ offprint admin organization create "Acme" --plan enterprise --admin ada@example.com',
    )
    .action(async (name: string, options) => {
      const { createOrganization } = await import('../admin/organizations.ts');
      await createOrganization(name, options);
    });
  withJson(organization.command('plan'))
    .description('set the plan; it applies from the next request')
    .argument('<organization>', 'id or name')
    .argument('<plan>', PLANS.join(', '), oneOf(PLANS))
    .addHelpText('after', '\nExample:\n  $ offprint admin organization plan Acme pro')
    .action(async (name: string, plan: (typeof PLANS)[number], options: JsonOption) => {
      const { setPlan } = await import('../admin/organizations.ts');
      await setPlan(name, plan, options);
    });
  withJson(organization.command('delete'))
    .description('delete an organization and all its data except its audit events')
    .argument('<organization>', 'id or name')
    .option('--yes', 'skip the confirmation')
    .addHelpText('after', '\nExample:\n  $ offprint admin organization delete Acme')
    .action(async (name: string, options: JsonOption & { yes?: boolean }) => {
      const { deleteOrganization } = await import('../admin/organizations.ts');
      await deleteOrganization(name, options);
    });
}

function addUser(admin: Command): void {
  const user = admin.command('user').description('list, create, disable or promote users; reset passwords');
  withJson(user.command('list'))
    .description('list users, newest first')
    .option('--search <text>', 'part of a name or an email address')
    .addOption(limitOption(100))
    .addHelpText('after', '\nExample:\n  $ offprint admin user list --search example.com')
    .action(async (options: ListOptions) => {
      const { listUsers } = await import('../admin/users.ts');
      await listUsers(options);
    });
  withJson(user.command('create'))
    .description('create an account and print a link to set its password')
    .argument('<email>', 'email address of the user')
    .option('--name <name>', 'name of the person; default: derived from the email address')
    .option('--operator', 'give the user the operator role')
    .option('--password-stdin', 'read the password from standard input instead of printing a link')
    .addHelpText(
      'after',
      '\nExamples:\n  $ offprint admin user create ada@example.com --name "Ada Lovelace"\n  $ offprint admin user create ops@example.com --operator --password-stdin < password.txt',
    )
    .action(async (email: string, options: CreateUserOptions) => {
      const { createUser } = await import('../admin/users.ts');
      await createUser(email, options);
    });
  withJson(user.command('reset-password'))
    .description('print a link to set a new password; it works once, within an hour')
    .argument('<email>', 'email address of the user')
    .addHelpText('after', '\nExample:\n  $ offprint admin user reset-password ada@example.com')
    .action(async (email: string, options: JsonOption) => {
      const { resetPassword } = await import('../admin/users.ts');
      await resetPassword(email, options);
    });
  for (const disabled of [true, false]) {
    const verb = disabled ? 'disable' : 'enable';
    withJson(user.command(verb))
      .description(
        disabled ? 'sign a user out everywhere and block sign-in' : 'allow a disabled user to sign in again',
      )
      .argument('<email>', 'email address of the user')
      .addHelpText('after', `\nExample:\n  $ offprint admin user ${verb} ada@example.com`)
      .action(async (email: string, options: JsonOption) => {
        const { setDisabled } = await import('../admin/users.ts');
        await setDisabled(email, disabled, options);
      });
  }
  withJson(user.command('operator'))
    .description('give a user the operator role')
    .argument('<email>', 'email address of the user')
    .option('--remove', 'remove the operator role')
    .addHelpText('after', '\nExample:\n  $ offprint admin user operator ada@example.com')
    .action(async (email: string, options: JsonOption & { remove?: boolean }) => {
      const { setOperator } = await import('../admin/users.ts');
      await setOperator(email, options.remove !== true, options);
    });
}

function addMember(admin: Command): void {
  const member = admin.command('member').description('add, remove or change members of organizations');
  withJson(member.command('add'))
    .description('add a user to an organization')
    .argument('<organization>', 'id or name')
    .argument('<email>', 'email address of the user')
    .addOption(new Option('--role <role>', 'role of the member').choices([...ROLES]).default('viewer'))
    .addHelpText('after', '\nExample:\n  $ offprint admin member add Acme ada@example.com --role admin')
    .action(async (organization: string, email: string, options) => {
      const { addMember: add } = await import('../admin/organizations.ts');
      await add(organization, email, options);
    });
  member
    .command('remove')
    .description('remove a user from an organization')
    .argument('<organization>', 'id or name')
    .argument('<email>', 'email address of the user')
    .addHelpText('after', '\nExample:\n  $ offprint admin member remove Acme ada@example.com')
    .action(async (organization: string, email: string) => {
      const { removeMember } = await import('../admin/organizations.ts');
      await removeMember(organization, email);
    });
  withJson(member.command('role'))
    .description('change the role of a member')
    .argument('<organization>', 'id or name')
    .argument('<email>', 'email address of the user')
    .argument('<role>', ROLES.join(', '), oneOf(ROLES))
    .addHelpText('after', '\nExample:\n  $ offprint admin member role Acme ada@example.com editor')
    .action(
      async (organization: string, email: string, role: (typeof ROLES)[number], options: JsonOption) => {
        const { changeRole } = await import('../admin/organizations.ts');
        await changeRole(organization, email, role, options);
      },
    );
}

const EXPIRIES = ['7', '30', '60', '90', 'never'] as const;

function parseExpiry(text: string): CreateKeyOptions['expiresInDays'] {
  const word = oneOf(EXPIRIES)(text);
  return word === 'never' ? null : (Number(word) as 7 | 30 | 60 | 90);
}

function addKey(admin: Command): void {
  const key = admin.command('key').description('list, create or revoke API keys of an organization');
  withJson(key.command('list'))
    .description('list keys, newest first, without their secrets')
    .argument('<organization>', 'id or name')
    .addOption(limitOption(100))
    .addHelpText('after', '\nExample:\n  $ offprint admin key list Acme')
    .action(async (organization: string, options: JsonOption & { limit: number }) => {
      const { listKeys } = await import('../admin/keys.ts');
      await listKeys(organization, options);
    });
  withJson(key.command('create'))
    .description('create an API key and print it; it cannot be shown again')
    .argument('<organization>', 'id or name')
    .requiredOption('--name <name>', 'purpose of the key')
    .addOption(
      new Option(
        '--scope <scope>',
        `${SCOPES.join(', ')}; write includes read; can be repeated; default: exports:write`,
      ).argParser((text: string, before: string[] | undefined) =>
        collect(oneOf([...SCOPES, 'read', 'write'])(text), before),
      ),
    )
    .option(
      '--project <id>',
      'id of a project to which the key is limited; can be repeated; default: all projects',
      collect,
    )
    .addOption(new Option('--expires-in-days <days>', EXPIRIES.join(', ')).argParser(parseExpiry).default(90))
    .option(
      '--allow <range>',
      'IP range that may use the key, such as 203.0.113.0/24; can be repeated',
      collect,
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ offprint admin key create Acme --name "release pipeline" --expires-in-days 30 > key.txt\n  $ offprint admin key create Acme --name site --scope exports:read --allow 203.0.113.0/24\n  $ offprint admin key create Acme --name automation --scope projects:write --scope agent:write',
    )
    .action(async (organization: string, options: CreateKeyOptions) => {
      const { createKey } = await import('../admin/keys.ts');
      await createKey(organization, options);
    });
  key
    .command('revoke')
    .description('revoke a key immediately')
    .argument('<organization>', 'id or name')
    .argument('<key-id>', 'id of the key: key_…')
    .addHelpText(
      'after',
      '\nExample:\n  $ offprint admin key revoke Acme key_ffeeddccbbaa99887766554433221100',
    )
    .action(async (organization: string, keyId: string) => {
      const { revokeKey } = await import('../admin/keys.ts');
      await revokeKey(organization, keyId);
    });
}

function addAudit(admin: Command): void {
  withJson(admin.command('audit'))
    .description('show the audit log, newest first, or write all of it as a file')
    .option('--organization <organization>', 'only this organization; id or name')
    .option('--actor <actor>', 'only this user or key; id, email address or name')
    .option('--action <operation>', 'only this operation, such as revokeApiKey')
    .addOption(new Option('--outcome <outcome>', 'only this outcome').choices(['done', 'refused', 'failed']))
    .option('--from <time>', 'at or after this time, such as 2026-06-01 or 2026-06-01T12:00:00Z', parseTime)
    .option('--to <time>', 'before this time', parseTime)
    .addOption(limitOption(50))
    .addOption(
      new Option('--file <format>', 'write every event, oldest first, to standard output').choices([
        'csv',
        'jsonl',
      ]),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ offprint admin audit --actor ada@example.com --outcome refused\n  $ offprint admin audit --organization Acme --from 2026-06-01 --file csv > june.csv',
    )
    .action(async (options: AuditOptions) => {
      const { showAudit } = await import('../admin/audit.ts');
      await showAudit(options);
    });
}

function addJob(admin: Command): void {
  const job = admin.command('job').description('queue a job again, or cancel all jobs of an organization');
  withJson(job.command('requeue'))
    .description('queue an unfinished job, or the restoration of a lost artifact, again')
    .argument('<id>', 'id of the export or agent job: se_… or job_…')
    .addHelpText(
      'after',
      '\nA worker that holds the job loses it. Retries start from the first one.\n\nExample:\n  $ offprint admin job requeue se_0a1b2c3d4e5f60718293a4b5c6d7e8f9',
    )
    .action(async (id: string, options: JsonOption) => {
      const { requeueJob } = await import('../admin/jobs.ts');
      await requeueJob(id, options);
    });
  withJson(job.command('cancel-all'))
    .description('cancel every unfinished export and agent job of an organization')
    .argument('<organization>', 'id or name')
    .option('--yes', 'skip the confirmation')
    .addHelpText('after', '\nExample:\n  $ offprint admin job cancel-all Acme')
    .action(async (organization: string, options: JsonOption & { yes?: boolean }) => {
      const { cancelJobs } = await import('../admin/jobs.ts');
      await cancelJobs(organization, options);
    });
}

function addQueue(admin: Command): void {
  const queue = admin.command('queue').description('show, pause or resume the queue of jobs');
  withJson(queue.command('status'))
    .description('show unfinished jobs by kind and state, and what is paused')
    .addHelpText('after', '\nExample:\n  $ offprint admin queue status')
    .action(async (options: JsonOption) => {
      const { showQueue } = await import('../admin/jobs.ts');
      await showQueue(options);
    });
  for (const isPaused of [true, false]) {
    const verb = isPaused ? 'pause' : 'resume';
    withJson(queue.command(verb))
      .description(isPaused ? 'start no more jobs; those that run continue' : 'start queued jobs again')
      .argument('[kind]', 'a kind that `offprint admin queue status` shows, such as export; default: all')
      .addHelpText(
        'after',
        `\nRequests for new jobs are accepted meanwhile.\n\nExamples:\n  $ offprint admin queue ${verb}\n  $ offprint admin queue ${verb} export`,
      )
      .action(async (kind: string | undefined, options: JsonOption) => {
        const { pauseQueue } = await import('../admin/jobs.ts');
        await pauseQueue(kind, isPaused, options);
      });
  }
}

function parseWorker(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number >= 2 ** 31)
    throw new InvalidArgumentError('Use a number that `offprint admin worker list` shows.');
  return number;
}

function addWorker(admin: Command): void {
  const worker = admin.command('worker').description('list workers, or drain one of them');
  withJson(worker.command('list'))
    .description('list workers that live, with the number of their jobs')
    .addHelpText('after', '\nExample:\n  $ offprint admin worker list')
    .action(async (options: JsonOption) => {
      const { listWorkers } = await import('../admin/jobs.ts');
      await listWorkers(options);
    });
  withJson(worker.command('drain'))
    .description('let a worker finish its jobs and start no more')
    .argument('<number>', 'number of the worker, which is also in its log', parseWorker)
    .option('--undo', 'let it start jobs again')
    .addHelpText('after', '\nExample:\n  $ offprint admin worker drain 1804289383')
    .action(async (number: number, options: JsonOption & { undo?: boolean }) => {
      const { drainWorker } = await import('../admin/jobs.ts');
      await drainWorker(number, options);
    });
}

function addRetention(admin: Command): void {
  withJson(admin.command('retention'))
    .description('show which exports retention would delete now, and delete nothing')
    .option('--organization <organization>', 'only this organization; id or name')
    .option('--days <days>', 'as with this OFFPRINT_EXPORT_RETENTION_DAYS', parseCount)
    .option('--count <exports>', 'as with this OFFPRINT_EXPORT_RETENTION_COUNT', parseCount)
    .addHelpText('after', '\nExample:\n  $ offprint admin retention --count 20')
    .action(async (options: RetentionOptions) => {
      const { showRetention } = await import('../admin/retention.ts');
      await showRetention(options);
    });
}

function parseCount(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new InvalidArgumentError('Use a whole number.');
  return Number(text);
}

/** A date without a time means midnight UTC. */
function parseTime(text: string): string {
  const isTime = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/.test(text);
  const time = new Date(text);
  if (!isTime || Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('Use a date such as 2026-06-01, or a time such as 2026-06-01T12:00:00Z.');
  return time.toISOString();
}
