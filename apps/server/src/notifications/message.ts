import type { NotificationRow } from './store.ts';

type Told = Pick<
  NotificationRow,
  'event' | 'subject' | 'data' | 'created_at' | 'organization_id' | 'project_id'
>;

/** The body of a request: `type`, `timestamp` and `data` as Standard Webhooks recommends. */
export function webhookBody(row: Told, publicUrl: string | null): object {
  return {
    type: row.event,
    timestamp: row.created_at.toISOString(),
    data: {
      organizationId: row.organization_id,
      projectId: row.project_id,
      subject: row.subject,
      url: pageOf(row, publicUrl),
      ...row.data,
    },
  };
}

/** The text of an email: what happened, its details, where to look and how to stop these emails. */
export function mailText(row: Told, publicUrl: string | null): string {
  const details = Object.entries(row.data)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${value}`);
  const page = pageOf(row, publicUrl);
  return [
    row.subject,
    '',
    ...details,
    ...(page === null ? [] : ['', page]),
    '',
    '-- ',
    `You turned on these emails. Turn them off in the notifications of the project${page === null ? '' : `: ${page}?tab=notifications`}.`,
    '',
  ].join('\n');
}

/** Where the dashboard shows the project. */
function pageOf(row: Told, publicUrl: string | null): string | null {
  if (publicUrl === null) return null;
  return `${publicUrl.replace(/\/$/, '')}/${row.organization_id}/projects/${row.project_id}`;
}
