import type { AnalyticsTraffic, ClientKind, Project } from '@offprint/contract';
import { Link } from '@tanstack/react-router';
import { ChartColumn } from 'lucide-react';
import { useHosting } from '../deployments/data.ts';
import { useOrganizationId } from '../path-params.ts';
import { Empty, Loaded, Notice, Section, Skeleton, Table } from '../ui/index.ts';
import { countWords } from '../usage/chart.ts';
import { AskAgent } from './ask-agent.tsx';
import { daysOf, type Period, useAnalytics } from './data.ts';
import { DayChart, dayWords } from './day-chart.tsx';
import { pagePrompt } from './prompts.ts';

const CLIENTS: readonly { kind: ClientKind; label: string; about: string }[] = [
  { kind: 'person', label: 'People', about: 'browsers' },
  { kind: 'agent', label: 'AI agents', about: 'read for a person now' },
  { kind: 'search-crawler', label: 'Search crawlers', about: 'build a search index' },
  { kind: 'training-crawler', label: 'Training crawlers', about: 'collect data for models' },
  { kind: 'other', label: 'Others', about: 'scripts, previews and monitors' },
];

interface PartProps {
  project: Project;
  period: Period;
}

export function Traffic({ project, period }: PartProps) {
  const traffic = useAnalytics(project, period, 'traffic', (api, query, signal) =>
    api.getAnalyticsTraffic(project.id, query, { signal }),
  );
  return (
    <Loaded query={traffic} fault="The traffic did not load" skeleton={<Skeleton shape="card" count={3} />}>
      {(data) => (
        <>
          <NotCounting project={project} isCounting={data.isCounting} />
          {data.days.length === 0 ? (
            <NoViews project={project} isCounting={data.isCounting} />
          ) : (
            <>
              <Totals data={data} />
              <ByDay data={data} period={period} />
              <TopPages project={project} period={period} />
              <Referrers project={project} period={period} />
            </>
          )}
        </>
      )}
    </Loaded>
  );
}

/** Views appear by themselves only where something is live. */
function NoViews({ project, isCounting }: { project: Project; isCounting: boolean }) {
  const organizationId = useOrganizationId();
  const hosting = useHosting(project.id, false);
  if (hosting.isPending) return <Skeleton shape="card" />;
  if (isCounting && hosting.data?.live === null)
    return (
      <Empty icon={<ChartColumn />} title="No site is served yet">
        Readers are counted when the site is live. Start its first update in the tab{' '}
        <Link
          to="/$organizationId/projects/$projectId"
          params={{ organizationId, projectId: project.id }}
          search={{ tab: 'deployments' }}
          className="link"
        >
          Deployments
        </Link>
        .
      </Empty>
    );
  return (
    <Empty icon={<ChartColumn />} title="No views in these days">
      {isCounting
        ? 'Views appear here some seconds after readers open a page. A site that was deployed before analytics were enabled counts from its next deployment on.'
        : 'Nothing is counted now.'}
    </Empty>
  );
}

function NotCounting({ project, isCounting }: { project: Project; isCounting: boolean }) {
  const organizationId = useOrganizationId();
  if (isCounting) return null;
  return (
    <div className="mb-5">
      <Notice title="Readers are not counted">
        The{' '}
        <Link
          to="/$organizationId/projects/$projectId"
          params={{ organizationId, projectId: project.id }}
          search={{ tab: 'features' }}
          className="link"
        >
          features of the project
        </Link>{' '}
        contain the reason. Counts of earlier days stay.
      </Notice>
    </div>
  );
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function Totals({ data }: { data: AnalyticsTraffic }) {
  const people = data.days.filter(({ client }) => client === 'person');
  const agents = data.days.filter(({ client }) => client === 'agent');
  const facts = [
    { name: 'Views by people', value: sum(people.map(({ views }) => views)) },
    { name: 'Daily visitors', value: sum(people.map(({ visitors }) => visitors)) },
    { name: 'Views by AI agents', value: sum(agents.map(({ views }) => views)) },
    { name: 'Markdown views', value: data.markdownViews },
    { name: 'Copied code', value: data.copies },
    { name: 'Playground requests', value: data.playgroundRequests },
  ];
  return (
    <dl className="mb-8 grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-6">
      {facts.map(({ name, value }) => (
        <div key={name} className="flex flex-col justify-between rounded-card border p-4">
          <dt className="text-muted text-sm">{name}</dt>
          <dd className="mt-1 font-semibold text-xl tabular-nums">{countWords(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function ByDay({ data, period }: { data: AnalyticsTraffic; period: Period }) {
  const countOf = (day: string, kind: ClientKind, name: 'views' | 'visitors') =>
    sum(data.days.filter((row) => row.day === day && row.client === kind).map((row) => row[name]));
  const days = daysOf(period);
  const known = [...new Set(data.days.map(({ day }) => day))].sort().reverse();
  return (
    <Section title="Views" description="Views of pages and of their Markdown copies by people.">
      <DayChart
        label="Views by people"
        days={days.map((day) => ({ day, value: countOf(day, 'person', 'views') }))}
      />
      <h3 className="mt-6 mb-3 font-semibold text-sm">By kind of client</h3>
      <Table
        label="Views by kind of client"
        rows={CLIENTS.map(({ kind, ...words }) => {
          const rows = data.days.filter(({ client }) => client === kind);
          const total = {
            views: sum(rows.map(({ views }) => views)),
            visitors: sum(rows.map((row) => row.visitors)),
          };
          return { kind, ...words, ...total };
        })}
        rowKey={({ kind }) => kind}
        columns={[
          {
            head: 'Client',
            cell: ({ label, about }) => (
              <span>
                {label} <span className="text-muted">({about})</span>
              </span>
            ),
          },
          { head: 'Views', width: '110px', align: 'end', cell: ({ views }) => countWords(views) },
          {
            head: 'Daily visitors',
            width: '140px',
            align: 'end',
            cell: ({ visitors }) => countWords(visitors),
          },
        ]}
      />
      <details className="mt-4">
        <summary className="w-fit rounded-control font-medium text-sm">Days as a table</summary>
        <div className="mt-3">
          <Table
            label="Views by day"
            rows={known}
            rowKey={(day) => day}
            columns={[
              { head: 'Day', cell: dayWords },
              ...CLIENTS.map(({ kind, label }) => ({
                head: label,
                align: 'end' as const,
                cell: (day: string) => countWords(countOf(day, kind, 'views')),
              })),
            ]}
          />
        </div>
      </details>
    </Section>
  );
}

function TopPages({ project, period }: PartProps) {
  const views = useAnalytics(project, period, 'views', (api, query, signal) =>
    api.getAnalyticsViews(project.id, { ...query, limit: 20 }, { signal }),
  );
  return (
    <Section title="Top pages" description="The 20 pages with the most views. The API returns all pages.">
      <Loaded query={views} fault="The pages did not load">
        {({ views: rows }) => (
          <Table
            label="Top pages"
            rows={rows}
            rowKey={({ path }) => path}
            columns={[
              { head: 'Page', cell: ({ path }) => <span className="break-all">{path}</span> },
              { head: 'People', width: '90px', align: 'end', cell: ({ human }) => countWords(human) },
              { head: 'AI', width: '90px', align: 'end', cell: ({ ai }) => countWords(ai) },
              { head: 'All', width: '90px', align: 'end', cell: ({ total }) => countWords(total) },
              {
                head: '(Acts)',
                width: '130px',
                align: 'end',
                cell: ({ path }) => <AskAgent project={project} prompt={pagePrompt(path)} about={path} />,
              },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

function Referrers({ project, period }: PartProps) {
  const referrers = useAnalytics(project, period, 'referrers', (api, query, signal) =>
    api.getAnalyticsReferrers(project.id, { ...query, limit: 20 }, { signal }),
  );
  return (
    <Section title="Referrers" description="Other sites with links that people followed.">
      <Loaded query={referrers} fault="The referrers did not load">
        {({ referrers: rows }) =>
          rows.length === 0 ? (
            <p className="text-muted text-sm">Nobody came from another site in these days.</p>
          ) : (
            <Table
              label="Referrers"
              rows={rows}
              rowKey={({ host }) => host}
              columns={[
                { head: 'Site', cell: ({ host }) => <span className="break-all">{host}</span> },
                { head: 'Views', width: '110px', align: 'end', cell: ({ views }) => countWords(views) },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
}
