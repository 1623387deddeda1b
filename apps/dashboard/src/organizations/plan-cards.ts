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
  { value: 'viewer', label: 'Viewer', help: 'Can read everything and download exports.' },
  { value: 'editor', label: 'Editor', help: 'Can also start exports and agent jobs, and edit projects.' },
  {
    value: 'admin',
    label: 'Admin',
    help: 'Can also manage members, API keys and secrets, and delete projects.',
  },
];
