/** The message of `offprint up` when the platform is ready. */
import { join, resolve } from 'node:path';
import { ownCommand, wantsColor } from './config.ts';
import type { Talk } from './output.ts';
import { shellWord } from './printable.ts';

export interface BannerFacts {
  dashboardUrl: string;
  url: string;
  operatorEmail: string | null;
  operatorPassword?: string | undefined;
  adminKey: string;
  projectId: string;
  domain: string;
  siteUrl?: string | undefined;
  sha256?: string | undefined;
  /** The bundle on disk; a terminal would wrap its download link. */
  file: string | undefined;
  dataDir: string;
  /** Null: the database is not the embedded one. */
  databaseLog: string | null;
  isOnce: boolean;
}

export function introduce(talk: Talk, facts: BannerFacts): void {
  talk.say('');
  if (!facts.isOnce) talk.say(`  ${strong(`Open the dashboard: ${facts.dashboardUrl}`)}\n`);
  for (const [name, value] of rowsOf(facts))
    if (value !== undefined) talk.say(`  ${name.padEnd(10)} ${value}`);
  talk.say('');
  if (!facts.isOnce) talk.say('Press Ctrl-C to stop the platform. The next start uses the same data.');
}

function rowsOf(facts: BannerFacts): [string, string | undefined][] {
  const { operatorEmail: email, operatorPassword: password, isOnce } = facts;
  const reset =
    email === null
      ? undefined
      : `printed at the first start; to set a new one, run: ${resetCommand(email, facts.dataDir)}`;
  const account: [string, string | undefined][] =
    isOnce && password === undefined
      ? []
      : [
          ['Email', email ?? undefined],
          ['Password', password ?? reset],
        ];
  const live: [string, string | undefined][] = isOnce
    ? []
    : [
        ['Site', facts.siteUrl],
        ['API', facts.url],
        ['Admin key', facts.adminKey],
        ['Project', facts.projectId],
        ['Domain', facts.domain],
      ];
  return [
    ...account,
    ...live,
    ['Bundle', facts.file],
    ['SHA-256', facts.sha256],
    ['Data', `${facts.dataDir} (the admin key is in ${join(facts.dataDir, 'admin-key')})`],
    ['Logs', logsOf(facts)],
  ];
}

/** The command finds the database in the data folder, and may run in another folder than this one. */
const resetCommand = (email: string, dataDir: string): string =>
  `OFFPRINT_DATA_DIR=${shellWord(resolve(dataDir))} ${ownCommand(`admin user reset-password ${shellWord(email)}`)}`;

function logsOf({ databaseLog }: BannerFacts): string {
  const own = 'warnings appear here; OFFPRINT_LOG_LEVEL=info shows more';
  return databaseLog === null ? own : `${own}. Database: ${databaseLog}`;
}

function strong(text: string): string {
  return process.stderr.isTTY === true && wantsColor() ? `\x1b[1m${text}\x1b[0m` : text;
}
