import { includesPlan, includesRole, type Plan, type Role } from '@offprint/contract';
import type { LinkProps } from '@tanstack/react-router';
import { Bot, Building2, FolderPlus, KeyRound, type LucideIcon, PackageOpen, UserPlus } from 'lucide-react';

/** Something that the palette finds. */
export interface PaletteEntry {
  id: string;
  group: string;
  label: string;
  /** Beside the label: a domain, a status. */
  detail?: string;
  /** Other words that find it. */
  keywords?: string;
  icon: LucideIcon;
  /** Shown only once something is typed. */
  isHidden?: boolean;
  run: () => void;
}

export interface ActionEntry {
  label: string;
  keywords?: string;
  icon: LucideIcon;
  to: NonNullable<LinkProps['to']>;
  search?: Record<string, string>;
  role?: Role;
  plan?: Plan;
}

const ACTIONS: readonly ActionEntry[] = [
  {
    label: 'Start export',
    keywords: 'render build publish bundle',
    icon: PackageOpen,
    to: '/$organizationId/exports',
    search: { start: 'yes' },
    role: 'editor',
    plan: 'enterprise',
  },
  {
    label: 'New project',
    keywords: 'create connect repository docs',
    icon: FolderPlus,
    to: '/$organizationId/projects/new',
    role: 'editor',
  },
  {
    label: 'New agent job',
    keywords: 'create prompt pull request',
    icon: Bot,
    to: '/$organizationId/agent',
    search: { new: 'yes' },
    role: 'editor',
    plan: 'pro',
  },
  {
    label: 'Invite a member',
    keywords: 'user team email',
    icon: UserPlus,
    to: '/$organizationId/members',
    search: { invite: 'yes' },
    role: 'admin',
  },
  {
    label: 'Create API key',
    keywords: 'new token secret',
    icon: KeyRound,
    to: '/$organizationId/keys',
    search: { create: 'yes' },
    role: 'admin',
  },
  { label: 'New organization', keywords: 'create team', icon: Building2, to: '/new-organization' },
];

/** The actions that the role and the plan allow; without an organization, those that need none. */
export function allowedActions(membership: { plan: Plan; role: Role } | null): ActionEntry[] {
  return ACTIONS.filter(({ to, role, plan }) => {
    if (membership === null) return !to.startsWith('/$organizationId');
    return (
      (role === undefined || includesRole(membership.role, role)) &&
      (plan === undefined || includesPlan(membership.plan, plan))
    );
  });
}

/** Maximum number of entries of a group that grows with the organization. */
const MAX_THINGS = 8;
const THINGS = new Set(['Projects', 'Exports', 'Organizations']);

/**
 * The entries that contain every word of the query, best first, by group. The group with the best entry is first.
 * Without a query, the entries in their order.
 */
export function findEntries(
  entries: readonly PaletteEntry[],
  query: string,
): { group: string; entries: PaletteEntry[] }[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const scored = entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ entry, score }) => score > 0 && (words.length > 0 || entry.isHidden !== true))
    .sort((a, b) => b.score - a.score);
  const groups = new Map<string, PaletteEntry[]>();
  for (const { entry } of scored) {
    const group = groups.get(entry.group) ?? [];
    groups.set(entry.group, group);
    if (group.length < MAX_THINGS || !THINGS.has(entry.group)) group.push(entry);
  }
  return [...groups].map(([group, found]) => ({ group, entries: found }));
}

/** 0: a word is missing. More: the words are earlier in the label. Hidden entries come after all others. */
function scoreOf(entry: PaletteEntry, words: readonly string[]): number {
  return entry.isHidden === true ? matchOf(entry, words) / 10 : matchOf(entry, words);
}

function matchOf({ label, detail = '', keywords = '' }: PaletteEntry, words: readonly string[]): number {
  if (words.length === 0) return 1;
  const name = label.toLowerCase();
  const all = `${name} ${detail} ${keywords}`.toLowerCase();
  if (!words.every((word) => all.includes(word))) return 0;
  const [first = ''] = words;
  if (name.startsWith(first)) return 4;
  if (name.split(/[^\p{L}\p{N}]+/u).some((part) => part.startsWith(first))) return 3;
  return name.includes(first) ? 2 : 1;
}
