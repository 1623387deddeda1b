import type { Command } from 'commander';

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('check an installation: database, store, settings, and rows against stored files')
    .option('--read', 'read every stored file and compare its digest; default: names and sizes only')
    .option('--repair', 'render lost artifacts again, and remove damaged bundles and unused uploads')
    .option('--json', 'print the result as one line of JSON')
    .addHelpText(
      'after',
      `
Uses the settings of the servers (OFFPRINT_*, DATABASE_URL). Each line is ok, a warning or an error, followed by what
to do. The platform can run meanwhile.
Exit codes: 0 no error, 1 at least one error, 2 wrong usage or settings.

Examples:
  $ offprint doctor
  $ offprint doctor --read --json | jq '.findings[] | select(.status != "ok")'
  $ offprint doctor --read --repair`,
    )
    .action(async (options: { read?: boolean; repair?: boolean; json?: boolean }) => {
      const { runDoctor } = await import('../admin/doctor.ts');
      await runDoctor(options);
    });
}
