import type { Plan, Role } from '@offprint/contract';
import type { RadioCard } from '../ui/index.ts';

/** What each plan includes. */
export const PLAN_CARDS: readonly RadioCard<Plan>[] = [
  {
    value: 'free',
    label: 'Free',
    help: 'Projects, connection tests, members and API keys. No exports or agent jobs.',
  },
  { value: 'pro', label: 'Pro', help: 'Everything in Free, plus agent jobs, which open pull requests.' },
  {
    value: 'enterprise',
    label: 'Enterprise',
    help: 'Everything in Pro, plus static exports with previews and downloads.',
  },
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
