import type { Project } from '@offprint/contract';
import { useQuery } from '@tanstack/react-query';
import { type Api, useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';

/** Maximum number of pages to read; 100 projects each. */
const MAX_PAGES = 20;

/** Every project of the organization, for choices. */
export function useAllProjects() {
  const api = useApi();
  const organizationId = useOrganizationId();
  return useQuery({
    queryKey: [organizationId, 'projects', 'all'],
    queryFn: ({ signal }) => readAllProjects(api, signal),
  });
}

/** Reads the list page by page. */
export async function readAllProjects(api: Api, signal: AbortSignal): Promise<Project[]> {
  const projects: Project[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { data, nextCursor } = await api.listProjects({ limit: 100, cursor }, { signal });
    projects.push(...data);
    if (nextCursor === null) break;
    cursor = nextCursor;
  }
  return projects;
}
