import type { UsageLimits, UsageMonth } from '@offprint/contract';
import { useQuery } from '@tanstack/react-query';
import { ChartColumn } from 'lucide-react';
import { useApi } from '../api.ts';
import { useOrganization } from '../session.tsx';
import {
  Badge,
  Card,
  Empty,
  FilterSelect,
  formatBytes,
  Loaded,
  PageHeader,
  Progress,
  Section,
  Skeleton,
  Table,
  useSearchParam,
} from '../ui/index.ts';
import { BarChart } from './bar-chart.tsx';
import { costWords, countWords, monthWords, shortCount } from './chart.ts';

const tokensOf = (month: UsageMonth) => month.inputTokens + month.outputTokens;

/** The values that the page can show by month. */
const MEASURES = [
  { value: 'exports', label: 'Exports', of: (month: UsageMonth) => month.exports, format: shortCount },
  {
    value: 'pages',
    label: 'Pages exported',
    of: (month: UsageMonth) => month.pages,
    format: shortCount,
  },
  { value: 'jobs', label: 'Agent jobs', of: (month: UsageMonth) => month.agentJobs, format: shortCount },
  { value: 'tokens', label: 'Tokens', of: tokensOf, format: shortCount },
  {
    value: 'cost',
    label: 'Model cost',
    of: (month: UsageMonth) => month.costUsd ?? 0,
    format: costWords,
  },
] as const;

const SPANS = [
  { value: '6', label: '6 months' },
  { value: '12', label: '12 months' },
  { value: '24', label: '24 months' },
] as const;

export function Page() {
  const api = useApi();
  const { id: organizationId } = useOrganization();
  const [span, setSpan] = useSearchParam('months', '12');
  const months = Number(SPANS.find(({ value }) => value === span)?.value ?? '12');
  const query = useQuery({
    queryKey: [organizationId, 'usage', months],
    queryFn: ({ signal }) => api.getUsage({ months }, { signal }),
  });
  return (
    <>
      <PageHeader
        title="Usage"
        description="Usage of this organization by month (UTC). Exports are counted when they complete, tokens when a model responds."
        action={
          <FilterSelect
            label="Period"
            value={String(months)}
            onChange={setSpan}
            options={SPANS}
            className="w-36"
          />
        }
      />
      <Loaded query={query} fault="The usage did not load" skeleton={<Skeleton shape="card" count={3} />}>
        {({ data, limits }) => (
          <>
            <Limits limits={limits} />
            <Usage months={data} />
          </>
        )}
      </Loaded>
    </>
  );
}

/** What the plan allows. Without a limit, only what is used. */
function Limits({ limits }: { limits: UsageLimits }) {
  const { exportsToday, agentJobsToday, storageBytes } = limits;
  const rows = [
    { name: 'Exports today', ...exportsToday, format: countWords },
    { name: 'Agent jobs today', ...agentJobsToday, format: countWords },
    { name: 'Stored exports', ...storageBytes, format: formatBytes },
  ];
  return (
    <Section
      title="Limits"
      description="What the plan of the organization allows. A day ends at 00:00 UTC. To store less, delete exports; operators of this installation change plans and limits."
    >
      <dl className="grid gap-3 sm:grid-cols-3">
        {rows.map(({ name, used, limit, format }) => (
          <div key={name} className="rounded-card border p-4">
            <dt className="text-muted text-sm">{name}</dt>
            <dd className="mt-1 font-semibold text-xl tabular-nums">
              {format(used)}
              {limit !== null && <span className="font-normal text-muted text-sm"> of {format(limit)}</span>}
            </dd>
            <dd className="mt-2 text-muted text-xs">
              {limit === null ? (
                'No limit'
              ) : (
                <Progress label={name} value={Math.min(100, (100 * used) / limit)} />
              )}
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

/** Whether an organization did nothing in a month that is counted. */
const isEmpty = (month: UsageMonth) =>
  month.exports + month.pages + month.agentJobs + month.agentCalls + tokensOf(month) === 0;

function Usage({ months }: { months: readonly UsageMonth[] }) {
  const [now] = months;
  if (months.every(isEmpty)) {
    return (
      <Empty icon={<ChartColumn />} title="No usage yet">
        No exports completed and no agent jobs were created in the last {months.length} months. Usage appears
        here after the first one.
      </Empty>
    );
  }
  return (
    <>
      {now !== undefined && <ThisMonth month={now} before={months[1]} />}
      <ByMonth months={months} />
    </>
  );
}

function ThisMonth({ month, before }: { month: UsageMonth; before: UsageMonth | undefined }) {
  const facts = [
    { name: 'Exports', value: countWords(month.exports), was: before && countWords(before.exports) },
    { name: 'Pages exported', value: countWords(month.pages), was: before && countWords(before.pages) },
    { name: 'Agent jobs', value: countWords(month.agentJobs), was: before && countWords(before.agentJobs) },
    { name: 'Tokens', value: shortCount(tokensOf(month)), was: before && shortCount(tokensOf(before)) },
    {
      name: 'Model cost',
      value: costWords(month.costUsd),
      was: before && before.costUsd !== null ? costWords(before.costUsd) : undefined,
    },
  ];
  return (
    <Section title={monthWords(month.month)} description="This month so far.">
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-5">
        {facts.map(({ name, value, was }) => (
          <div key={name} className="rounded-card border p-4">
            <dt className="text-muted text-sm">{name}</dt>
            <dd className="mt-1 font-semibold text-xl tabular-nums">{value}</dd>
            {was !== undefined && (
              <dd className="mt-0.5 text-muted text-xs tabular-nums">{was} last month</dd>
            )}
          </div>
        ))}
      </dl>
    </Section>
  );
}

function ByMonth({ months }: { months: readonly UsageMonth[] }) {
  const [chosen, choose] = useSearchParam('of', MEASURES[0].value);
  const measure = MEASURES.find(({ value }) => value === chosen) ?? MEASURES[0];
  const [now] = months;
  const hasAny = months.some((month) => measure.of(month) > 0);
  // Months before the first that has usage say nothing.
  const used = months.slice(0, months.findLastIndex((month) => !isEmpty(month)) + 1);
  return (
    <Section
      title="By month"
      action={
        <FilterSelect
          label="Show"
          value={measure.value}
          onChange={choose}
          options={MEASURES}
          className="w-48"
        />
      }
    >
      <Card className="mb-6">
        {hasAny ? (
          <BarChart
            months={months}
            measure={measure.of}
            format={measure.format}
            label={measure.label}
            isWhole={measure.value !== 'cost'}
          />
        ) : (
          <p className="py-10 text-center text-muted text-sm">
            {measure.label}: nothing in the last {months.length} months.
          </p>
        )}
      </Card>
      <Table
        label="Usage by month"
        rows={used}
        rowKey={({ month }) => month}
        columns={[
          {
            head: 'Month',
            width: '24%',
            cell: ({ month }) => (
              <span className="inline-flex flex-wrap items-center gap-2 whitespace-nowrap font-medium">
                {monthWords(month)}
                {month === now?.month && <Badge tone="info">now</Badge>}
              </span>
            ),
          },
          { head: 'Exports', align: 'end', cell: (month) => countWords(month.exports) },
          { head: 'Pages', align: 'end', cell: (month) => countWords(month.pages) },
          { head: 'Agent jobs', align: 'end', cell: (month) => countWords(month.agentJobs) },
          { head: 'Tokens in', align: 'end', cell: (month) => countWords(month.inputTokens) },
          { head: 'Tokens out', align: 'end', cell: (month) => countWords(month.outputTokens) },
          { head: 'Cost', align: 'end', cell: (month) => costWords(month.costUsd) },
        ]}
      />
      <p className="mt-3 text-muted text-sm">
        Cost is calculated from the configured price of each model. A dash means that no price is configured.
      </p>
    </Section>
  );
}
