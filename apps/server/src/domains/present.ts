import type { SiteDomain } from '@offprint/contract';
import { nextStepOf } from './next-step.ts';
import { proofOf } from './proof.ts';
import type { DomainRow } from './store.ts';

export interface PresentOptions {
  key: Buffer;
  graceMs: number;
  siteTarget: string | null;
  servesSites: boolean;
}

/** A domain as the API shows it. */
export function presentDomain(
  row: DomainRow,
  certificate: SiteDomain['certificate'],
  { key, graceMs, siteTarget, servesSites }: PresentOptions,
): SiteDomain {
  const proof = proofOf(key, row.organization_id, row.host);
  const isFailing = row.state === 'verified' && row.failing_since !== null;
  const state = isFailing ? 'failing' : row.state;
  const removedAt =
    isFailing && row.failing_since !== null ? new Date(row.failing_since.getTime() + graceMs) : null;
  const isWildcard = row.host.startsWith('*.');
  return {
    id: row.id,
    domain: row.host,
    state,
    method: row.method,
    redirectTo: row.redirect_host,
    basePath: row.base_path,
    record: proof.record,
    file: proof.file === null ? null : { url: proof.file.url, content: proof.file.content },
    finding:
      row.finding === null || row.checked_at === null
        ? null
        : { ...row.finding, checkedAt: row.checked_at.toISOString() },
    nextStep: nextStepOf({
      state,
      isWildcard,
      proof,
      finding: row.finding,
      removedAt,
      certificate,
      siteTarget,
      servesSites,
    }),
    certificate,
    verifiedAt: row.verified_at?.toISOString() ?? null,
    failingSince: isFailing ? (row.failing_since?.toISOString() ?? null) : null,
    removedAt: removedAt?.toISOString() ?? null,
    nextCheckAt: row.next_check_at.toISOString(),
    createdAt: row.created_at.toISOString(),
  };
}
