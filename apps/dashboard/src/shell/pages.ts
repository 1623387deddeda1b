import type { Role } from '@offprint/contract';
import type { LinkProps } from '@tanstack/react-router';
import {
  Bot,
  Building2,
  ChartColumn,
  FolderGit2,
  House,
  KeyRound,
  type LucideIcon,
  PackageOpen,
  ScrollText,
  Settings,
  UserRound,
  UsersRound,
} from 'lucide-react';

/** A page of the navigation. */
export interface PageEntry {
  to: NonNullable<LinkProps['to']>;
  label: string;
  icon: LucideIcon;
  exact?: true;
  /** Role without which the page shows nothing. */
  role?: Role;
}

export const WORK_PAGES: readonly PageEntry[] = [
  { to: '/$organizationId', label: 'Overview', icon: House, exact: true },
  { to: '/$organizationId/projects', label: 'Projects', icon: FolderGit2 },
  { to: '/$organizationId/exports', label: 'Exports', icon: PackageOpen },
  { to: '/$organizationId/agent', label: 'Agent jobs', icon: Bot },
];
export const ORGANIZATION_PAGES: readonly PageEntry[] = [
  { to: '/$organizationId/keys', label: 'API keys', icon: KeyRound },
  { to: '/$organizationId/members', label: 'Members', icon: UsersRound },
  { to: '/$organizationId/usage', label: 'Usage', icon: ChartColumn },
  { to: '/$organizationId/audit', label: 'Audit log', icon: ScrollText, role: 'admin' },
  { to: '/$organizationId/settings', label: 'Settings', icon: Settings },
];
export const INSTALLATION_PAGES: readonly PageEntry[] = [
  { to: '/operator/organizations', label: 'Organizations', icon: Building2 },
  { to: '/operator/users', label: 'Users', icon: UserRound },
];
