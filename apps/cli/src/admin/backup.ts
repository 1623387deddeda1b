import { counted } from '@offprint/contract/counted';
import type { Config } from '@offprint/server/config';
import type { Progress, RestoreReport } from '@offprint/server/operation';
import { serverConfig } from '../commands/server.ts';
import { createTalk, formatBytes, printable, printJson, type Talk } from '../output.ts';
import type { JsonOption } from './organizations.ts';
import { explainAdminError } from './run.ts';

export async function backUpInstallation(path: string, { json }: JsonOption): Promise<void> {
  const { backUp } = await import('@offprint/server/operation');
  const talk = createTalk({ quiet: json === true });
  const report = await explained((config) => backUp(config, path, progressOf(talk)));
  talk.done();
  if (json) return printJson(report);
  const { artifacts, uploads, rows, bytes, lost, secretFile } = report;
  process.stdout.write(`${path}\n`);
  talk.say(
    `Backed up ${counted(rows, 'row')}, ${counted(artifacts, 'artifact')} and ${counted(uploads, 'upload')} (${formatBytes(bytes)}).`,
  );
  for (const { bundle, reason } of lost) {
    talk.say(`warning: the files of ${bundle} are lost (${printable(reason)}) and not in the backup`);
  }
  talk.say(
    `The backup contains password hashes and encrypted credentials, and not the secret. Keep ${secretFile === null ? 'OFFPRINT_SECRET' : printable(secretFile)} in another safe place: the backup cannot be restored without it.`,
  );
}

export async function restoreInstallation(path: string, { json }: JsonOption): Promise<void> {
  const { restore } = await import('@offprint/server/operation');
  const talk = createTalk({ quiet: json === true });
  const report = await explained((config) => restore(config, path, progressOf(talk)));
  print(report, talk, json);
}

export async function moveInstallation({ json }: JsonOption): Promise<void> {
  const { moveDatabase } = await import('@offprint/server/operation');
  const talk = createTalk({ quiet: json === true });
  const report = await explained((config) => moveDatabase(config, progressOf(talk)));
  print(report, talk, json);
  talk.say(
    'Start the platform with DATABASE_URL, and with the same secret. The embedded database is unchanged: delete the folder `postgres` of the data folder when everything works.',
  );
}

function print(report: RestoreReport, talk: Talk, json: boolean | undefined): void {
  talk.done();
  if (json) {
    printJson(report);
    return;
  }
  const { database, rows, artifacts, lost } = report;
  talk.say(`${printable(database)} has ${counted(rows, 'row')} and ${counted(artifacts, 'artifact')}.`);
  if (lost > 0) {
    talk.say(
      `warning: the files of ${counted(lost, 'artifact')} are lost. They are rendered again when somebody requests their bundles.`,
    );
  }
}

function progressOf(talk: Talk): Progress {
  return {
    say: (text) => talk.say(printable(text)),
    progress: (done, all, text) => talk.progress(all === 0 ? 1 : done / all, `${done} of ${all} ${text}`),
  };
}

async function explained<Value>(run: (config: Config) => Promise<Value>): Promise<Value> {
  const config = await serverConfig();
  try {
    return await run(config);
  } catch (error) {
    throw await explainAdminError(error);
  }
}
