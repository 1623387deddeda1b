import type { Project } from '@offprint/contract';
import { Link } from '@tanstack/react-router';
import { CircleCheck } from 'lucide-react';
import { useEffect } from 'react';
import { useOrganizationId } from '../path-params.ts';
import { Button, ButtonLink, Card, Fault, PageHeader, PlanGate, useGate } from '../ui/index.ts';
import { useProject, useStartExport } from './data.ts';
import { DeployKey, takesDeployKey } from './deploy-key.tsx';

/** The next step after a project was made. */
export function FirstExport({ project }: { project: Project }) {
  const organizationId = useOrganizationId();
  const start = useStartExport();
  const reason = useGate({ role: 'editor', plan: 'enterprise' });
  const domain = project.domains[0];
  const now = useProject(project.id).data ?? project;
  // the project as it was made: the key stays on the page after it was stored
  const needsKey = takesDeployKey(project) && project.source.kind === 'git' && !project.source.hasCredential;
  const params = { organizationId, projectId: project.id };
  // the form that had the focus is gone, and the address is the same
  useEffect(() => document.querySelector<HTMLElement>('h1')?.focus(), []);
  return (
    <>
      <PageHeader title={needsKey ? project.name : `${project.name} was created`} />
      <div className="max-w-160">
        {needsKey && (
          <div className="mb-6">
            <h2 className="mb-3 font-semibold text-lg leading-7">
              First, give the server access to the repository
            </h2>
            <DeployKey project={now} />
          </div>
        )}
        <PlanGate plan="enterprise" feature="Static export" />
        <Card className="text-center">
          <CircleCheck aria-hidden="true" className="mx-auto mt-4 size-9 text-success" />
          {domain === undefined ? (
            <>
              <p className="mx-auto mt-3 max-w-[48ch] text-muted">
                Each export is for a domain, which canonical links use. Add a domain to the project, then
                start an export.
              </p>
              <div className="mt-5 mb-4 flex flex-wrap justify-center gap-2">
                <ButtonLink
                  to="/$organizationId/projects/$projectId"
                  params={params}
                  search={{ tab: 'domains' }}
                >
                  Add a domain
                </ButtonLink>
              </div>
            </>
          ) : (
            <>
              <p className="mx-auto mt-3 max-w-[48ch] text-muted">
                Next, start an export. It renders every page for {domain} and packs the site into one archive
                that works on any host.
              </p>
              <div className="mt-5 mb-4 flex flex-wrap justify-center gap-2">
                <ButtonLink look="quiet" to="/$organizationId/projects/$projectId" params={params}>
                  Open the project
                </ButtonLink>
                <Button reason={reason} busy={start.isPending} onClick={() => start.mutate(domain)}>
                  Start the first export
                </Button>
              </div>
            </>
          )}
        </Card>
        {start.error !== null && (
          <div className="mt-4">
            <Fault error={start.error} title="The export was not started" />
          </div>
        )}
        <p className="mt-6 text-muted text-sm">
          To export on every push or on a schedule, set up{' '}
          <Link
            to="/$organizationId/projects/$projectId"
            params={params}
            search={{ tab: 'automation' }}
            className="link"
          >
            automation
          </Link>
          .
        </p>
      </div>
    </>
  );
}
