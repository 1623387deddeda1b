import { ApiError } from '@offprint/client';
import type { AgentSettings, Project } from '@offprint/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck, CircleDashed } from 'lucide-react';
import type { ReactNode } from 'react';
import { useApi } from '../api.ts';
import { useOrganization, useSession } from '../session.tsx';
import { useGate } from '../ui/index.ts';
import { agentKeys } from './live.ts';

/** The agent settings of a project. */
export function useAgentSettings(projectId: string | undefined) {
  const api = useApi();
  const { id: organizationId } = useOrganization();
  return useQuery({
    queryKey: agentKeys.settings(organizationId, projectId ?? ''),
    queryFn: ({ signal }) => api.getAgentSettings(projectId ?? '', { signal }),
    enabled: projectId !== undefined,
  });
}

/** Why no job can be created for the project, as `reason` of a button; null: one can. */
export function useCreateGate(
  project: Project | undefined,
  settings: AgentSettings | undefined,
): string | null {
  const denied = useGate({ plan: 'pro', role: 'editor' });
  if (denied !== null) return denied;
  if (project === undefined) return 'Create a project first.';
  if (project.source.kind !== 'git') {
    const source = project.source.kind === 'folder' ? 'a folder on the server' : 'an upload';
    return `The source of the project is ${source}. Agent jobs require a Git repository.`;
  }
  if (settings !== undefined && !settings.isReady)
    return settings.reason ?? 'The project is not ready for agent jobs.';
  return null;
}

/** What a job needs, each with whether it is there and the way to where it is set. */
export function Readiness({
  project,
  settings,
  error,
}: {
  project: Project | undefined;
  settings: AgentSettings | undefined;
  error: unknown;
}) {
  const organization = useOrganization();
  const { user } = useSession();
  const plan = useGate({ plan: 'pro' });
  const params = { organizationId: organization.id };
  const hasGit = project?.source.kind === 'git';
  const hasModel = settings !== undefined && settings.usesModel !== null;
  const toProject = (tab: 'source' | 'agent') =>
    project !== undefined && (
      <Link
        to="/$organizationId/projects/$projectId"
        params={{ ...params, projectId: project.id }}
        search={{ tab }}
        className="link"
      >
        {tab === 'agent' ? 'Open the agent settings' : 'Change the source'}
      </Link>
    );
  return (
    <ul className="mx-auto mt-4 max-w-[46ch] space-y-2.5 text-start text-sm">
      <Need met={plan === null} name="The pro plan">
        {plan !== null &&
          (user.isOperator ? (
            <Link to="/operator/organizations" className="link">
              Change the plan
            </Link>
          ) : (
            'An operator of this installation can change the plan.'
          ))}
      </Need>
      <Need met={hasGit} name="A project whose source is a Git repository">
        {!hasGit &&
          (project === undefined ? (
            <Link to="/$organizationId/projects/new" params={params} className="link">
              Create a project
            </Link>
          ) : (
            toProject('source')
          ))}
      </Need>
      <Need met={hasModel} name={hasModel ? `A model: ${settings.usesModel}` : 'A model'}>
        {!hasModel && (
          <>
            Choose a model in the agent settings of the project, or ask an operator to set{' '}
            <code>OFFPRINT_AGENT_MODEL</code> for the installation. {toProject('agent')}
          </>
        )}
      </Need>
      {settings !== undefined && !settings.isReady && hasGit && plan === null && (
        <li className="rounded-control bg-warning-soft px-3 py-2 text-text">{settings.reason}</li>
      )}
      {error instanceof ApiError && <li className="text-danger">{error.message}</li>}
    </ul>
  );
}

function Need({ met, name, children }: { met: boolean; name: string; children: ReactNode }) {
  const Icon = met ? CircleCheck : CircleDashed;
  return (
    <li className="flex gap-2.5">
      <Icon
        aria-hidden="true"
        className={`mt-0.5 size-4.5 flex-none ${met ? 'text-success' : 'text-muted'}`}
      />
      <span className="min-w-0 break-words">
        <span className="text-text">{name}</span>
        <span className="sr-only">{met ? ' (done)' : ' (missing)'}</span>
        {children !== false && children !== null && <span className="block">{children}</span>}
      </span>
    </li>
  );
}
