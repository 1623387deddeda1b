import type { Deployment, Hosting, Project, UpdateHostingBody } from '@offprint/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import { toast, useCursorList } from '../ui/index.ts';

/** Milliseconds between two polls while a deployment is in progress, and while none is. */
const LIVE_MS = 1_000;
const IDLE_MS = 10_000;

/** Whether nothing happens to it by itself. */
export const isEnded = ({ status }: Pick<Deployment, 'status'>): boolean =>
  status === 'success' || status === 'failure' || status === 'waiting';

const keyOf = (organizationId: string, projectId: string) => [
  organizationId,
  'projects',
  projectId,
  'deployments',
];

export function useDeployments(projectId: string) {
  const api = useApi();
  return useCursorList(
    [...keyOf(useOrganizationId(), projectId), 'list'],
    (query, signal) => api.listDeployments(projectId, query, { signal }),
    { refetchInterval: (items) => (items.every(isEnded) ? IDLE_MS : LIVE_MS) },
  );
}

/** What is live; read as often as the list. */
export function useHosting(projectId: string, isInProgress: boolean) {
  const api = useApi();
  return useQuery({
    queryKey: [...keyOf(useOrganizationId(), projectId), 'hosting'],
    queryFn: ({ signal }) => api.getHosting(projectId, { signal }),
    refetchInterval: isInProgress ? LIVE_MS : IDLE_MS,
  });
}

/** A request that changes deployments, after which they are read again. */
function useChange<Variables>(
  projectId: string,
  run: (variables: Variables) => Promise<unknown>,
  done: string,
) {
  const organizationId = useOrganizationId();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSuccess: () => toast(done),
    // Also after an error: somebody else may have changed what is live.
    onSettled: () => queries.invalidateQueries({ queryKey: keyOf(organizationId, projectId) }),
  });
}

export function useUpdateSite(projectId: string) {
  const api = useApi();
  return useChange(projectId, () => api.triggerUpdate(projectId), 'The update is queued.');
}

export function useCreatePreview(projectId: string) {
  const api = useApi();
  return useChange(
    projectId,
    (branch: string) => api.triggerPreview(projectId, { branch }),
    'The preview is queued.',
  );
}

/** Makes a deployment live in place of the one that the person sees as live. */
export function usePromote(projectId: string, live: Deployment | null) {
  const api = useApi();
  return useChange(
    projectId,
    (deployment: Deployment) =>
      api.promoteDeployment(projectId, deployment.id, live === null ? {} : { replaces: live.id }),
    'The deployment is live.',
  );
}

/** Starts the deployment of a commit of a fork. */
export function useApprove(projectId: string) {
  const api = useApi();
  return useChange(
    projectId,
    (deployment: Deployment) => api.approveDeployment(projectId, deployment.id),
    'Approved. The preview is queued.',
  );
}

export function useDelete(projectId: string) {
  const api = useApi();
  return useChange(
    projectId,
    (deployment: Deployment) => api.deleteDeployment(projectId, deployment.id),
    'The deployment was deleted.',
  );
}

export function useUpdateHosting(project: Project, { enabled, previews }: Hosting) {
  const api = useApi();
  const now = { enabled, previews: { enabled: previews.enabled, days: previews.days } };
  return useChange(
    project.id,
    (change: Partial<UpdateHostingBody>) => api.updateHosting(project.id, { ...now, ...change }),
    'Hosting saved.',
  );
}
