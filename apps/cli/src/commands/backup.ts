import type { Command } from 'commander';
import type { JsonOption } from '../admin/organizations.ts';

const SETTINGS = `
Uses the settings of the servers (OFFPRINT_*, DATABASE_URL).
Exit codes: 0 success, 1 the database, the store or the program failed, 2 wrong usage, or the request is not possible.`;

export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .description('back up database and files of an installation while it runs')
    .argument('<file>', 'tar file (.tar) or folder to create')
    .option('--json', 'print the result as one line of JSON')
    .addHelpText(
      'after',
      `${SETTINGS}
The backup does not contain OFFPRINT_SECRET. Keep it in another place: a backup cannot be restored without it.

Examples:
  $ offprint backup /backups/2026-06-01.tar
  $ DATABASE_URL=postgresql://offprint@db/offprint OFFPRINT_S3_BUCKET=docs offprint backup /backups/monday`,
    )
    .action(async (file: string, options: JsonOption) => {
      const { backUpInstallation } = await import('../admin/backup.ts');
      await backUpInstallation(file, options);
    });
  program
    .command('restore')
    .description('restore a backup into an empty database and its store')
    .argument('<file>', 'tar file or folder of the backup')
    .option('--json', 'print the result as one line of JSON')
    .addHelpText(
      'after',
      `${SETTINGS}
It refuses a database with rows, a damaged backup, and another OFFPRINT_SECRET than the one of the backup.

Examples:
  $ OFFPRINT_SECRET_FILE=/run/secrets/offprint offprint restore /backups/2026-06-01.tar
  $ DATABASE_URL=postgresql://offprint@db/offprint OFFPRINT_S3_BUCKET=docs offprint restore /backups/monday`,
    )
    .action(async (file: string, options: JsonOption) => {
      const { restoreInstallation } = await import('../admin/backup.ts');
      await restoreInstallation(file, options);
    });
  program
    .command('move')
    .description('move the embedded database to the PostgreSQL database of DATABASE_URL')
    .option('--json', 'print the result as one line of JSON')
    .addHelpText(
      'after',
      `${SETTINGS}
Stop the platform first. With OFFPRINT_S3_BUCKET, stored files are copied to the bucket. The data folder is not changed.

Example:
  $ DATABASE_URL=postgresql://offprint@db/offprint offprint move`,
    )
    .action(async (options: JsonOption) => {
      const { moveInstallation } = await import('../admin/backup.ts');
      await moveInstallation(options);
    });
}
