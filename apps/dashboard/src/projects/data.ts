import type { ExportJob, Project, UpdateProjectBody } from '@offprint/contract';
import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import { toast, useCursorList } from '../ui/index.ts';

const BUSY_MS = 3_000;
const CALM_MS = 60_000;

export function useProjects() {
  const api = useApi();
  const organizationId = useOrganizationId();
  return useCursorList<Project>([organizationId, 'projects', 'list'], (query, signal) =>
    api.listProjects(query, { signal }),
  );
}

export function useProject(projectId: string) {
  const api = useApi();
  const organizationId = useOrganizationId();
  return useQuery({
    queryKey: [organizationId, 'projects', projectId],
    queryFn: ({ signal }) => api.getProject(projectId, { signal }),
  });
}

/** Changes a project and shows a confirmation. */
export function useUpdateProject(projectId: string, done: string) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: UpdateProjectBody) => api.updateProject(projectId, body),
    onSuccess: async (project) => {
      queries.setQueryData([organizationId, 'projects', projectId], project);
      toast(done);
      await queries.invalidateQueries({ queryKey: [organizationId, 'projects'] });
    },
  });
}

function isBusy(jobs: readonly ExportJob[]): boolean {
  return jobs.some(({ status }) => status === 'queued' || status === 'running');
}

/** The newest exports of the organization, of whatever project. */
export function useRecentExports() {
  const api = useApi();
  const organizationId = useOrganizationId();
  return useQuery({
    queryKey: [organizationId, 'exports', 'recent'],
    queryFn: ({ signal }) => api.listExports({ limit: 100 }, { signal }),
    refetchInterval: ({ state }) => (isBusy(state.data?.data ?? []) ? BUSY_MS : CALM_MS),
  });
}

/** The newest exports of a project: those of its domains, newest first. */
export function useProjectExports(
  { id, domains }: Pick<Project, 'id' | 'domains'>,
  limit: number,
  enabled = true,
) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const results = useQueries({
    queries: domains.slice(0, 10).map((domain) => ({
      queryKey: [organizationId, 'exports', 'domain', domain, limit],
      queryFn: ({ signal }: { signal: AbortSignal }) => api.listExports({ domain, limit }, { signal }),
      enabled,
      refetchInterval: ({ state }: { state: { data: { data: ExportJob[] } | undefined } }) =>
        isBusy(state.data?.data ?? []) ? BUSY_MS : CALM_MS,
    })),
  });
  const jobs = results
    .flatMap(({ data }) => data?.data ?? [])
    .filter(({ projectId }) => projectId === id)
    .sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
    .slice(0, limit);
  return {
    jobs,
    isPending: results.some((result) => result.isPending && enabled),
    error: results.find((result) => result.error !== null && result.data === undefined)?.error ?? null,
    refetch: () => {
      for (const result of results) void result.refetch();
    },
  };
}

/** Starts an export of a domain and opens its page. */
export function useStartExport() {
  const api = useApi();
  const organizationId = useOrganizationId();
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (domain: string) => api.startExport({ domain }),
    onSuccess: async ({ jobId }) => {
      void queries.invalidateQueries({ queryKey: [organizationId, 'exports'] });
      await navigate({ to: '/$organizationId/exports/$jobId', params: { organizationId, jobId } });
    },
  });
}
