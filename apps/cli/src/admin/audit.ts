import { printJson } from '../output.ts';
import type { JsonOption } from './organizations.ts';
import { formatTime, onInstallation, printTable } from './run.ts';

export interface AuditOptions extends JsonOption {
  organization?: string;
  actor?: string;
  action?: string;
  outcome?: 'done' | 'refused' | 'failed';
  from?: string;
  to?: string;
  limit: number;
  file?: 'csv' | 'jsonl';
}

/** The newest events as a table, or all of them as a file on standard output. */
export async function showAudit({ limit, file, json, ...filter }: AuditOptions): Promise<void> {
  await onInstallation(async (admin) => {
    if (file !== undefined) {
      for await (const piece of admin.writeEvents(filter, file)) await write(piece);
      return;
    }
    const events = await admin.listEvents({ ...filter, limit });
    if (json) return printJson(events);
    printTable(
      ['at (UTC)', 'actor', 'action', 'target', 'outcome', 'from'],
      events.map((event) => [
        formatTime(event.at),
        `${event.actor.kind} ${event.actor.name}`,
        event.action,
        event.target ?? '',
        event.code === null ? event.outcome : `${event.outcome} (${event.code})`,
        event.address ?? '',
      ]),
    );
  });
}

/** Waits for a reader that is slower than the log. */
function write(piece: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(piece, (error) => (error ? reject(error) : resolve()));
  });
}
