import type { AgentJob, AgentTodo } from '@offprint/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck, CircleDashed, CircleDot } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganizationId, usePathParam } from '../path-params.ts';
import {
  Button,
  ConfirmDialog,
  ExternalLink,
  Fault,
  Id,
  LoadedPage,
  MarkdownLine,
  Menu,
  MenuItem,
  Notice,
  PageHeader,
  Skeleton,
  Tabs,
  Time,
  toast,
  useGate,
} from '../ui/index.ts';
import { costWords, countWords } from '../usage/chart.ts';
import { agentAdvice, cureTab } from './advice.ts';
import { ChangesPanel } from './changes-panel.tsx';
import { Composer } from './composer.tsx';
import { agentKeys, useAgentJob, useTranscript } from './live.ts';
import { AgentStatus, isCancelled, PullRequestLink } from './parts.tsx';
import { planOf } from './transcript.ts';
import { LongText, TranscriptView } from './transcript-view.tsx';

export function Page() {
  const projectId = usePathParam('projectId');
  const jobId = usePathParam('jobId');
  const organizationId = useOrganizationId();
  const query = useAgentJob(projectId, jobId);
  const back = (
    <Link
      to="/$organizationId/agent"
      params={{ organizationId }}
      search={{ project: projectId }}
      className="link"
    >
      Agent jobs
    </Link>
  );
  return (
    <LoadedPage
      query={query}
      title="Agent job"
      back={back}
      fault="The job did not load"
      skeleton={<Skeleton shape="card" count={3} />}
    >
      {(job) => <Job projectId={projectId} job={job} back={back} />}
    </LoadedPage>
  );
}

function Job({ projectId, job, back }: { projectId: string; job: AgentJob; back: ReactNode }) {
  const live = useTranscript(projectId, job);
  const todos = planOf(live.transcript.events, job);
  return (
    <>
      <PageHeader
        title={job.title}
        back={back}
        aside={<AgentStatus job={job} />}
        description={
          <>
            {job.model} · created <Time at={job.createdAt} />
          </>
        }
        action={<Actions projectId={projectId} job={job} />}
      />
      <Outcome projectId={projectId} job={job} />
      <div className="grid gap-x-8 gap-y-8 lg:grid-cols-[minmax(0,1fr)_264px]">
        <div className="min-w-0">
          <Tabs
            label="Agent job"
            tabs={[
              {
                value: 'transcript',
                label: 'Transcript',
                content: (
                  <>
                    {live.error !== null && live.error !== undefined && live.state === 'ended' && (
                      <div className="mb-4">
                        <Fault error={live.error} title="The transcript did not load" />
                      </div>
                    )}
                    <TranscriptView live={live} isActive={job.status === 'active'} />
                    <Composer projectId={projectId} job={job} />
                  </>
                ),
              },
              {
                value: 'changes',
                label: 'Changes',
                content: <ChangesPanel projectId={projectId} job={job} />,
              },
            ]}
          />
        </div>
        <aside aria-label="Job details" className="min-w-0 space-y-7 text-sm">
          <Plan todos={todos} />
          <About projectId={projectId} job={job} />
        </aside>
      </div>
    </>
  );
}

function Actions({ projectId, job }: { projectId: string; job: AgentJob }) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const queries = useQueryClient();
  const [asking, setAsking] = useState<'cancel' | 'archive' | null>(null);
  const denied = useGate({ role: 'editor' });
  const done = (words: string) => (next: AgentJob) => {
    queries.setQueryData(agentKeys.one(organizationId, job.id), next);
    void queries.invalidateQueries({ queryKey: agentKeys.lists(organizationId, projectId) });
    setAsking(null);
    toast(words);
  };
  const cancel = useMutation({
    mutationFn: () => api.cancelAgentJob(projectId, job.id),
    onSuccess: done('Job cancelled'),
  });
  const archive = useMutation({
    mutationFn: () => api.archiveAgentJob(projectId, job.id),
    onSuccess: done('Job archived'),
  });
  const isActive = job.status === 'active';
  return (
    <>
      <PullRequestLink job={job} />
      {isActive && (
        <Button look="quiet" reason={denied} onClick={() => setAsking('cancel')}>
          Cancel job
        </Button>
      )}
      {job.status !== 'archived' && denied === null && (
        <Menu label="More actions for this job">
          <MenuItem onSelect={() => setAsking('archive')}>Archive job</MenuItem>
        </Menu>
      )}
      <ConfirmDialog
        open={asking === 'cancel'}
        onClose={() => setAsking(null)}
        title="Cancel this job?"
        action="Cancel job"
        keep="Keep running"
        busy={cancel.isPending}
        error={cancel.error}
        onConfirm={() => cancel.mutate()}
      >
        <p>
          The agent stops immediately and pushes nothing more. Its changes are kept, and a follow-up continues
          from there.
        </p>
      </ConfirmDialog>
      <ConfirmDialog
        open={asking === 'archive'}
        onClose={() => setAsking(null)}
        title="Archive this job?"
        action="Archive job"
        keep="Keep open"
        look="primary"
        busy={archive.isPending}
        error={archive.error}
        onConfirm={() => archive.mutate()}
      >
        <p>
          It accepts no more messages{isActive ? ', and the agent stops' : ''}. This cannot be undone. Its
          branch and its pull request do not change.
        </p>
      </ConfirmDialog>
    </>
  );
}

/** How the last turn ended, where that is worth a word. */
function Outcome({ projectId, job }: { projectId: string; job: AgentJob }) {
  const organizationId = useOrganizationId();
  if (job.status === 'active') return null;
  const { failure, stopped, heldCode, needsInput, summary } = job;
  const tab = failure === null ? null : cureTab(failure.code);
  return (
    <div className="mb-8 space-y-4 empty:hidden">
      {isCancelled(job) && <Notice title="This job was cancelled">{agentAdvice('cancelled')}</Notice>}
      {failure !== null && !isCancelled(job) && (
        <div role="alert" className="rounded-card border border-danger/40 bg-danger-soft p-4 text-sm">
          <p className="font-medium">The job failed</p>
          <p className="mt-1 [overflow-wrap:anywhere]">{failure.message}</p>
          <p className="mt-2">
            {agentAdvice(failure.code)}{' '}
            {tab !== null && (
              <Link
                to="/$organizationId/projects/$projectId"
                params={{ organizationId, projectId }}
                search={{ tab }}
                className="link"
              >
                Open the settings
              </Link>
            )}
          </p>
          <p className="mt-2 text-muted">
            Code <code>{failure.code}</code>
          </p>
        </div>
      )}
      {stopped !== null && (
        <div role="note" className="rounded-card border border-warning/40 bg-warning-soft p-4 text-sm">
          <p className="font-medium">The turn ended early, and its changes were published as a draft</p>
          <p className="mt-1 [overflow-wrap:anywhere]">{stopped.message}</p>
        </div>
      )}
      {heldCode.length > 0 && (
        <div role="note" className="rounded-card border border-warning/40 bg-warning-soft p-4 text-sm">
          <p className="font-medium">The changes contain new code for the browsers of readers</p>
          <p className="mt-1">
            The pull request stays a draft until a person has reviewed this code. To release it, mark the pull
            request as ready for review at the forge.
          </p>
          <ul className="mt-2 list-disc space-y-1 pl-5">
            {heldCode.map(({ path, line, message }) => (
              <li key={`${path}:${line}:${message}`} className="[overflow-wrap:anywhere]">
                {path !== '' && <code>{line === null ? path : `${path}:${line}`}</code>} {message}
              </li>
            ))}
          </ul>
        </div>
      )}
      <Findings job={job} />
      {needsInput !== null && (
        <Notice title="The agent has a question">
          <LongText text={needsInput} isMarkdown />
        </Notice>
      )}
      {summary !== null && summary.trim() !== '' && (
        <section aria-label="Result" className="rounded-card border bg-raised p-4">
          <h2 className="mb-1 font-medium text-sm">Result</h2>
          <LongText text={summary} isMarkdown />
        </section>
      )}
    </div>
  );
}

/** New problems by place, which the forge shows where it is known. */
function Findings({ job: { findings, checks } }: { job: AgentJob }) {
  if (findings.length === 0) return null;
  const total = Math.max(checks?.new ?? 0, findings.length);
  return (
    <section
      aria-label="New problems"
      className="rounded-card border border-warning/40 bg-warning-soft p-4 text-sm"
    >
      <h2 className="font-medium">
        The checks report {total} new {total === 1 ? 'problem' : 'problems'}
      </h2>
      <ul className="mt-2 list-disc space-y-1 pl-5">
        {findings.map(({ file, line, code, message, url }, index) => {
          const place = <code>{line === null ? file : `${file}:${line}`}</code>;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: two findings may be equal, and the list is replaced as a whole
            <li key={index} className="[overflow-wrap:anywhere]">
              {url === null ? place : <ExternalLink href={url}>{place}</ExternalLink>}{' '}
              <MarkdownLine text={message} /> <span className="text-muted">{code}</span>
            </li>
          );
        })}
      </ul>
      {total > findings.length && <p className="mt-2">And {total - findings.length} more.</p>}
    </section>
  );
}

const STEPS = {
  completed: { icon: CircleCheck, look: 'text-success', word: 'done' },
  in_progress: { icon: CircleDot, look: 'text-info', word: 'in progress' },
  pending: { icon: CircleDashed, look: 'text-muted', word: 'to do' },
} as const;

function Plan({ todos }: { todos: readonly AgentTodo[] }) {
  if (todos.length === 0) return null;
  return (
    <section aria-labelledby="plan">
      <h2 id="plan" className="mb-2.5 font-semibold">
        Plan
      </h2>
      <ol className="space-y-2">
        {todos.map(({ id, text, status }) => {
          const { icon: Icon, look, word } = STEPS[status];
          return (
            <li key={id} className="flex gap-2">
              <Icon aria-hidden="true" className={`mt-0.5 size-4 flex-none ${look}`} />
              <span className="min-w-0 [overflow-wrap:anywhere]">
                {text}
                <span className="sr-only"> ({word})</span>
              </span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function About({ projectId, job }: { projectId: string; job: AgentJob }) {
  const organizationId = useOrganizationId();
  const { usage, checks, source } = job;
  const older = job.pullRequests.slice(0, -1);
  return (
    <>
      {checks?.status === 'not_checked' && (
        <Group title="Docs check">
          <Fact name="Result" wide>
            Not checked: {checks.reason ?? 'the check had no result.'}
          </Fact>
        </Group>
      )}
      {checks !== null && checks.status !== 'not_checked' && (
        <Group title="Docs check">
          <Fact name="New findings">
            <span className={checks.new > 0 ? 'text-warning' : ''}>{checks.new}</span>
          </Fact>
          <Fact name="Fixed">{checks.fixed}</Fact>
        </Group>
      )}
      <Group title="Usage">
        <Fact name="Model requests">{countWords(usage.modelCalls)}</Fact>
        <Fact name="Tokens in">{countWords(usage.inputTokens)}</Fact>
        {usage.cacheReadTokens > 0 && (
          <Fact name="Tokens in, cached">{countWords(usage.cacheReadTokens)}</Fact>
        )}
        <Fact name="Tokens out">{countWords(usage.outputTokens)}</Fact>
        {usage.costUsd !== null && <Fact name="Cost">{costWords(usage.costUsd)}</Fact>}
      </Group>
      <Group title="Work">
        <Fact name="Branch" wide>
          {source.ref === null ? 'Not created yet' : <code>{source.ref}</code>}
        </Fact>
        <Fact name="Repository" wide>
          {source.repository}
        </Fact>
        {older.length > 0 && (
          <Fact name="Earlier pull requests" wide>
            {older.map((each) => (
              <span key={each.url} className="block">
                <PullRequestLink job={{ prLink: null, pullRequests: [each] }} /> {each.state}
              </span>
            ))}
          </Fact>
        )}
        <Fact name="Project" wide>
          <Link
            to="/$organizationId/projects/$projectId"
            params={{ organizationId, projectId }}
            className="link"
          >
            Open the project
          </Link>
        </Fact>
        <Fact name="Id" wide>
          <Id value={job.id} name="job id" />
        </Fact>
      </Group>
    </>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2 className="mb-2 font-semibold">{title}</h2>
      <dl className="space-y-1.5">{children}</dl>
    </section>
  );
}

function Fact({ name, wide = false, children }: { name: string; wide?: boolean; children: ReactNode }) {
  return (
    <div className={wide ? '' : 'flex justify-between gap-4'}>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 tabular-nums [overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}
