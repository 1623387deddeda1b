import type { Project, ReaderAccess, ReaderSite, UpdateReaderAccessBody } from '@offprint/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import { toast } from '../ui/index.ts';

export type SiteAccessInput = NonNullable<UpdateReaderAccessBody[ReaderSite]>;

const keyOf = (organizationId: string, projectId: string) => [
  organizationId,
  'projects',
  projectId,
  'access',
];

export function useReaderAccess(project: Project) {
  const api = useApi();
  const organizationId = useOrganizationId();
  return useQuery({
    queryKey: keyOf(organizationId, project.id),
    queryFn: ({ signal }) => api.getReaderAccess(project.id, { signal }),
  });
}

export function useUpdateAccess(project: Project, site: ReaderSite) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: SiteAccessInput) => api.updateReaderAccess(project.id, { [site]: input }),
    onSuccess: (data: ReaderAccess) => {
      queries.setQueryData(keyOf(organizationId, project.id), data);
      toast('Access saved.');
    },
  });
}

export function useCreateTokenKey(project: Project, site: ReaderSite) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => api.createReaderTokenKey(project.id, site),
    onSuccess: () => queries.invalidateQueries({ queryKey: keyOf(organizationId, project.id) }),
  });
}

export function useSignReadersOut(project: Project, site: ReaderSite) {
  const api = useApi();
  return useMutation({
    mutationFn: () => api.signReadersOut(project.id, site),
    onSuccess: () => toast('All readers are signed out.'),
  });
}
