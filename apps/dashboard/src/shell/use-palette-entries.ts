import { includesRole, type Project } from '@offprint/contract';
import { useQuery } from '@tanstack/react-query';
import { type LinkProps, useNavigate } from '@tanstack/react-router';
import {
  BookOpen,
  Building2,
  FolderGit2,
  Keyboard,
  LogOut,
  Monitor,
  Moon,
  PackageOpen,
  Sun,
  UserRound,
} from 'lucide-react';
import { apiOf } from '../api.ts';
import { useDocsUrl } from '../docs-url.ts';
import { readAllProjects } from '../projects/all.ts';
import { firstOrganization, useCurrentOrganization, useSession, useSignOut } from '../session.tsx';
import { openTab } from '../ui/external-link.tsx';
import { useTheme } from '../ui/use-theme.ts';
import { INSTALLATION_PAGES, ORGANIZATION_PAGES, type PageEntry, WORK_PAGES } from './pages.ts';
import { allowedActions, type PaletteEntry } from './palette-entries.ts';

const THEMES = [
  { value: 'system', label: 'System', icon: Monitor },
  { value: 'light', label: 'Light', icon: Sun },
  { value: 'dark', label: 'Dark', icon: Moon },
] as const;

/** Everything that the palette finds for this person, in the organization of the page. */
export function usePaletteEntries(onShortcuts: () => void): PaletteEntry[] {
  const session = useSession();
  const navigate = useNavigate();
  const signOut = useSignOut();
  const [, setTheme] = useTheme();
  const docs = useDocsUrl();
  const organization = useCurrentOrganization() ?? firstOrganization(session);
  const things = useThings(organization?.id ?? null);
  const go = (
    to: LinkProps['to'],
    search: Record<string, string> = {},
    params: Record<string, string> = {},
  ) =>
    void navigate({
      to,
      params: { organizationId: organization?.id ?? '', ...params },
      search,
    } as never);
  const page = ({ to, label, icon }: PageEntry): PaletteEntry => ({
    id: `page-${to}`,
    group: 'Pages',
    label,
    icon,
    run: () => go(to),
  });
  const isVisible = ({ role }: PageEntry) =>
    role === undefined || (organization !== null && includesRole(organization.role, role));
  return [
    ...things.projects.map((project) => ({
      id: project.id,
      group: 'Projects',
      label: project.name,
      detail: project.domains[0] ?? '',
      keywords: `project ${project.id}`,
      icon: FolderGit2,
      run: () => go('/$organizationId/projects/$projectId', {}, { projectId: project.id }),
    })),
    ...(organization === null ? [] : [...WORK_PAGES, ...ORGANIZATION_PAGES].filter(isVisible).map(page)),
    ...(session.user.isOperator ? INSTALLATION_PAGES.map(page) : []).map((entry) => ({
      ...entry,
      detail: 'Installation',
    })),
    { id: 'account', group: 'Pages', label: 'Your account', icon: UserRound, run: () => go('/account') },
    ...allowedActions(organization).map(({ to, search, ...action }) => ({
      ...action,
      id: `action-${action.label}`,
      group: 'Actions',
      run: () => go(to, search),
    })),
    ...THEMES.map(({ value, label, icon }) => ({
      id: `theme-${value}`,
      group: 'Actions',
      label: `Theme: ${label}`,
      keywords: 'appearance color mode',
      icon,
      run: () => setTheme(value),
    })),
    ...(docs === null
      ? []
      : [
          {
            id: 'docs',
            group: 'Actions',
            label: 'Open documentation',
            icon: BookOpen,
            run: () => openTab(docs),
          },
        ]),
    { id: 'shortcuts', group: 'Actions', label: 'Keyboard shortcuts', icon: Keyboard, run: onShortcuts },
    {
      id: 'sign-out',
      group: 'Actions',
      label: 'Sign out',
      keywords: 'log out',
      icon: LogOut,
      run: () => signOut.mutate(),
    },
    ...session.organizations
      .filter(({ id }) => id !== organization?.id)
      .map(({ id, name }) => ({
        id,
        group: 'Organizations',
        label: name,
        keywords: 'switch organization',
        icon: Building2,
        run: () => go('/$organizationId', {}, { organizationId: id }),
      })),
    ...things.exports.map(({ jobId, domain, version, status }) => ({
      id: jobId,
      group: 'Exports',
      label: version === null ? domain : `${domain} ${version}`,
      detail: status,
      keywords: `export ${jobId}`,
      icon: PackageOpen,
      isHidden: true,
      run: () => go('/$organizationId/exports/$jobId', {}, { jobId }),
    })),
  ];
}

const NO_PROJECTS: readonly Project[] = [];

/** Projects and recent exports of an organization. They share the cache of the pages that list them. */
function useThings(organizationId: string | null) {
  const enabled = organizationId !== null;
  const api = apiOf(organizationId ?? '');
  const projects = useQuery({
    queryKey: [organizationId, 'projects', 'all'],
    queryFn: ({ signal }) => readAllProjects(api, signal),
    enabled,
  });
  const exports = useQuery({
    queryKey: [organizationId, 'exports', 'recent'],
    queryFn: ({ signal }) => api.listExports({ limit: 100 }, { signal }),
    enabled,
  });
  return { projects: projects.data ?? NO_PROJECTS, exports: exports.data?.data ?? [] };
}
