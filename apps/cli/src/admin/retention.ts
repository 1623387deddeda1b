import { counted } from '@offprint/contract/counted';
import { createTalk, printJson } from '../output.ts';
import type { JsonOption } from './organizations.ts';
import { formatTime, onInstallation, printTable } from './run.ts';

export interface RetentionOptions extends JsonOption {
  organization?: string;
  days?: number;
  count?: number;
}

/** What retention would delete; deletes nothing. */
export async function showRetention({ json, ...query }: RetentionOptions): Promise<void> {
  const preview = await onInstallation((admin) => admin.previewRetention(query));
  if (json) return printJson(preview);
  const { exports, freedBytes, retention } = preview;
  printTable(
    ['id', 'organization', 'domain', 'status', 'ended (UTC)'],
    exports.map(({ id, organizationId, domain, status, completedAt }) => [
      id,
      organizationId,
      domain,
      status,
      formatTime(completedAt),
    ]),
  );
  const rules = [
    ...(retention.days > 0 ? [`older than ${counted(retention.days, 'day')}`] : []),
    ...(retention.count > 0 ? [`beyond the newest ${retention.count} of a domain`] : []),
  ];
  const talk = createTalk({ quiet: false });
  if (rules.length === 0) {
    talk.say(
      'Nothing is deleted: OFFPRINT_EXPORT_RETENTION_DAYS and OFFPRINT_EXPORT_RETENTION_COUNT are 0. Try values with --days and --count.',
    );
    return;
  }
  talk.say(
    `${counted(exports.length, 'export')} ${rules.join(' or ')} would be deleted, with ${(freedBytes / 1e6).toFixed(1)} MB of bundles. Nothing was deleted.`,
  );
}
