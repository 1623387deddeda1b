import type { Project } from '@offprint/contract';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../session.tsx';

/** Pages of the list that are read at most; 100 projects each. */
const MOST_PAGES = 20;

/** Every project of the organization, for choices. */
export function useAllProjects() {
  const api = useApi();
  const organizationId = useOrganizationId();
  return useQuery({
    queryKey: [organizationId, 'projects', 'all'],
    queryFn: async ({ signal }) => {
      const projects: Project[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < MOST_PAGES; page++) {
        const { data, nextCursor } = await api.listProjects({ limit: 100, cursor }, { signal });
        projects.push(...data);
        if (nextCursor === null) break;
        cursor = nextCursor;
      }
      return projects;
    },
  });
}
