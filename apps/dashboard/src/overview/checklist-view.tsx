import { includesRole } from '@offprint/contract';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganization } from '../session.tsx';
import { readStored, writeStored } from '../theme.ts';
import { Button, ButtonLink } from '../ui/index.ts';
import { nextStep, type StepName, stepsOf } from './checklist.ts';

interface StepWords {
  title: string;
  text: string;
  act: string;
  to:
    | '/$organizationId/projects/new'
    | '/$organizationId/exports'
    | '/$organizationId/keys'
    | '/$organizationId/members';
  search?: Record<string, string>;
}

const WORDS: Readonly<Record<StepName, StepWords>> = {
  project: {
    title: 'Connect your docs',
    text: 'From a Git repository, an upload or a starter site.',
    act: 'Create project',
    to: '/$organizationId/projects/new',
  },
  export: {
    title: 'Export the site',
    text: 'Render every page and download the site as one archive.',
    act: 'Start export',
    to: '/$organizationId/exports',
    search: { start: 'yes' },
  },
  key: {
    title: 'Create an API key',
    text: 'Pipelines use it to start exports and download bundles.',
    act: 'Go to API keys',
    to: '/$organizationId/keys',
  },
  invite: {
    title: 'Invite your team',
    text: 'Members have the role viewer, editor or admin.',
    act: 'Go to members',
    to: '/$organizationId/members',
  },
};

/** Organizations whose steps were put away, in this browser. */
const HIDDEN = 'offprint.checklist-hidden.';

/** The steps of the first day, until they are done or put away. */
export function Checklist({ projects, completedExports }: { projects: number; completedExports: number }) {
  const api = useApi();
  const { id: organizationId, plan, role } = useOrganization();
  const [isHidden, setHidden] = useState(() => readStored(HIDDEN + organizationId) !== null);
  const isAdmin = includesRole(role, 'admin');
  const keys = useQuery({
    queryKey: [organizationId, 'keys', 'any'],
    queryFn: ({ signal }) => api.listApiKeys({ limit: 1 }, { signal }),
    enabled: isAdmin && !isHidden,
  });
  const members = useQuery({
    queryKey: [organizationId, 'members', 'any'],
    queryFn: ({ signal }) => api.listMembers({ limit: 2 }, { signal }),
    enabled: isAdmin && !isHidden,
  });
  const invitations = useQuery({
    queryKey: [organizationId, 'invitations', 'any'],
    queryFn: ({ signal }) => api.listInvitations({ limit: 1 }, { signal }),
    enabled: isAdmin && !isHidden,
  });
  if (isHidden || (isAdmin && (keys.isPending || members.isPending || invitations.isPending))) return null;
  const steps = stepsOf(
    {
      projects,
      completedExports,
      keys: keys.data?.data.length,
      members: members.data?.data.length ?? 1,
      invitations: invitations.data?.data.length,
    },
    plan,
    role,
  );
  const left = steps.filter(({ isDone }) => !isDone);
  const next = nextStep(steps);
  if (left.length === 0 || (next === null && projects > 0)) return null;
  return (
    <section aria-labelledby="first-steps" className="mb-10 overflow-hidden rounded-card border">
      <header className="flex flex-wrap items-baseline justify-between gap-3 bg-raised px-5 py-3.5">
        <h2 id="first-steps" className="font-semibold">
          First steps
          <span className="ms-2 font-normal text-muted text-sm tabular-nums">
            {steps.length - left.length} of {steps.length} done
          </span>
        </h2>
        <Button
          look="plain"
          size="small"
          onClick={() => {
            writeStored(HIDDEN + organizationId, 'yes');
            setHidden(true);
          }}
        >
          Hide steps
        </Button>
      </header>
      <ol className="divide-y border-t">
        {steps.map(({ name, isDone, blocked }, index) => {
          const { title, text, act, to, search } = WORDS[name];
          return (
            <li key={name} className="flex flex-wrap items-center gap-x-4 gap-y-3 px-5 py-4">
              {isDone ? (
                <CircleCheck aria-hidden="true" className="size-7 flex-none text-success" strokeWidth={1.5} />
              ) : (
                <span
                  aria-hidden="true"
                  className={`grid size-7 flex-none place-items-center rounded-full border font-medium text-sm ${name === next ? 'border-primary text-primary' : 'border-border-strong text-muted'}`}
                >
                  {index + 1}
                </span>
              )}
              <div className="min-w-0 flex-1 basis-56 text-sm">
                <p className={`font-medium ${isDone ? 'text-muted' : ''}`}>
                  {title}
                  <span className="sr-only">{isDone ? ' (done)' : ' (to do)'}</span>
                </p>
                <p className="text-muted">{isDone || blocked === null ? text : blocked}</p>
              </div>
              {!isDone && blocked === null && (
                <ButtonLink
                  look={name === next ? 'primary' : 'quiet'}
                  size="small"
                  to={to}
                  params={{ organizationId }}
                  {...(search === undefined ? {} : { search: search as never })}
                >
                  {act}
                </ButtonLink>
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
