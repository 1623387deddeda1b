import type { ProjectSourceInput } from '@offprint/contract';
import type { Kysely } from 'kysely';
import { findUserByEmail } from './accounts/service.ts';
import { ADMIN_KEY_NAME, ensureAdminKey } from './admin-key.ts';
import { type AuditEntry, recordAct } from './audit/service.ts';
import { addMember, ensureOrganization, roleOf } from './organizations/service.ts';
import type { Database } from './platform/db/database.ts';
import { changesBetween } from './platform/http/changes.ts';
import { findProjectIdByDomain } from './projects/service.ts';
import type { Services } from './services.ts';

export interface BootstrapRequest {
  organizationName: string;
  projectName: string;
  /** Host name that the project publishes on. */
  domain: string;
  source: ProjectSourceInput;
  /** Address of the account that becomes an admin of the organization, where there is one. */
  operatorEmail: string;
  /** Holds the admin key for later starts. */
  dataDir: string;
}

export interface Bootstrapped {
  organizationId: string;
  projectId: string;
  domain: string;
  /** The admin API key of the data folder; it is valid for at least another day. */
  adminKey: string;
  /** Address of the operator's account, which is an admin of the organization; null where there is no such account. */
  operatorEmail: string | null;
}

/** Events name it as the actor if there is no operator account. */
const ACTOR = ADMIN_KEY_NAME;

/**
 * Makes an installation usable at once: an organization with the enterprise plan and the operator as its admin, a
 * project for the source, its domain, and a key. What is there by name or domain is used again, and so is the key of the
 * data folder.
 */
export async function bootstrap(
  db: Kysely<Database>,
  services: Services,
  request: BootstrapRequest,
): Promise<Bootstrapped> {
  const { domain, source } = request;
  return db.transaction().execute(async (tx) => {
    const organization = await ensureOrganization(tx, { name: request.organizationName, plan: 'enterprise' });
    const operator = await findUserByEmail(tx, request.operatorEmail);
    if (operator !== undefined && (await roleOf(tx, organization.id, operator.id)) === undefined) {
      await addMember(tx, { organizationId: organization.id, userId: operator.id, role: 'admin' });
    }
    const record = (entry: Pick<AuditEntry, 'action' | 'target' | 'changes'>) =>
      recordAct(tx, {
        organizationId: organization.id,
        actor: { kind: 'operator', id: operator?.id ?? null, name: operator?.email ?? ACTOR },
        outcome: 'done',
        code: null,
        address: null,
        requestId: null,
        ...entry,
      });
    if (organization.isNew) await record({ action: 'createOrganization', target: organization.id });
    const known = await findProjectIdByDomain(tx, organization.id, domain);
    const before = known === undefined ? undefined : await services.projects.read(organization.id, known);
    const project =
      known === undefined
        ? await services.projects.createIn(tx, organization.id, {
            name: request.projectName,
            domains: [domain],
            source,
          })
        : await services.projects.updateIn(tx, organization.id, known, { name: request.projectName, source });
    const changes = before === undefined ? [] : changesBetween(before, project);
    if (before === undefined) await record({ action: 'createProject', target: project.id });
    else if (changes.length > 0) await record({ action: 'updateProject', target: project.id, changes });
    const { key, createdId } = await ensureAdminKey(tx, services.keys, {
      organizationId: organization.id,
      dataDir: request.dataDir,
    });
    if (createdId !== null) await record({ action: 'createApiKey', target: createdId });
    return {
      organizationId: organization.id,
      projectId: project.id,
      domain,
      adminKey: key,
      operatorEmail: operator?.email ?? null,
    };
  });
}
