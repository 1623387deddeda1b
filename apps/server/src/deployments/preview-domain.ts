import { verifiedWildcards } from '../domains/service.ts';
import { AppError } from '../platform/http/error.ts';
import type { Db } from './store.ts';

/**
 * Domain below which the previews of a project have their hosts: its first verified wildcard, else the one of the
 * installation. Null: none.
 */
export async function previewDomainOf(
  db: Db,
  projectId: string,
  installationDomain: string | null,
): Promise<string | null> {
  const [wildcard] = await verifiedWildcards(db, projectId);
  return wildcard?.base ?? installationDomain;
}

export const noPreviewDomain = (): AppError =>
  new AppError(
    'preview_domain_missing',
    'Previews have no domain. Verify a wildcard domain of the project, such as *.previews.example.com, or ask the operator of the installation to set OFFPRINT_PREVIEW_DOMAIN.',
  );
