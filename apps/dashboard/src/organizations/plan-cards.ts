import type { Plan, Role } from '@offprint/contract';
import type { RadioCard } from '../ui/index.ts';

/** What each plan includes. */
export const PLAN_CARDS: readonly RadioCard<Plan>[] = [
  { value: 'free', label: 'Free', help: 'Projects, members, keys and previews.' },
  { value: 'pro', label: 'Pro', help: 'Also agent jobs, which write pull requests.' },
  { value: 'enterprise', label: 'Enterprise', help: 'Also static export of whole sites.' },
];

/** What each role may do. */
export const ROLE_CARDS: readonly RadioCard<Role>[] = [
  { value: 'viewer', label: 'Viewer', help: 'Reads everything and downloads exports.' },
  { value: 'editor', label: 'Editor', help: 'Also runs exports and agent jobs, and edits projects.' },
  { value: 'admin', label: 'Admin', help: 'Also manages members, keys, secrets and deletions.' },
];
