import type { AuditEvent } from '@offprint/contract';
import type { LinkProps } from '@tanstack/react-router';

/** The page of the target of an event; null if it has none. A page of a deleted target says that it does not exist. */
export function pageOfTarget(
  { target, projectId, action }: Pick<AuditEvent, 'target' | 'projectId' | 'action'>,
  organizationId: string,
): (Pick<LinkProps, 'to'> & { params: Record<string, string> }) | null {
  if (target === null || action === 'deleteProject' || action === 'deleteExport') return null;
  const kind = target.slice(0, target.indexOf('_') + 1);
  switch (kind) {
    case 'prj_':
      return { to: '/$organizationId/projects/$projectId', params: { organizationId, projectId: target } };
    case 'se_':
      return { to: '/$organizationId/exports/$jobId', params: { organizationId, jobId: target } };
    case 'job_':
      return projectId === null
        ? null
        : {
            to: '/$organizationId/agent/$projectId/$jobId',
            params: { organizationId, projectId, jobId: target },
          };
    case 'key_':
      return { to: '/$organizationId/keys', params: { organizationId } };
    case 'usr_':
    case 'inv_':
      return { to: '/$organizationId/members', params: { organizationId } };
    default:
      return null;
  }
}

/** A change as one line: `name: Docs → Handbook`. Values that are not recorded are not shown. */
export function changeText({ field, from, to }: AuditEvent['changes'][number]): string {
  if (from === null && to === null) return `${field} changed`;
  return `${field}: ${from ?? '(none)'} → ${to === null || to === '' ? '(none)' : to}`;
}
