import type { Project } from '@offprint/contract';
import { FilterSelect, Tabs } from '../ui/index.ts';
import { BrokenLinks } from './broken-links.tsx';
import { PERIODS, usePeriod } from './data.ts';
import { FeedbackList } from './feedback.tsx';
import { Searches } from './searches.tsx';
import { Traffic } from './traffic.tsx';

/** What readers did on the sites of a project. */
export function AnalyticsTab({ project }: { project: Project }) {
  const period = usePeriod();
  const parts = { project, period };
  return (
    <>
      <div className="mb-4 flex flex-wrap items-end justify-between gap-3">
        <p className="max-w-[70ch] text-muted text-sm">
          Readers of the served sites of this project, by day in UTC. Nothing identifies a reader: no cookies,
          no IP addresses, no user agents.
        </p>
        <FilterSelect
          label="Period"
          value={String(period.days)}
          onChange={period.choose}
          options={PERIODS}
          className="w-36"
        />
      </div>
      <Tabs
        label="Analytics"
        name="view"
        tabs={[
          { value: 'traffic', label: 'Traffic', content: <Traffic {...parts} /> },
          { value: 'searches', label: 'Searches', content: <Searches {...parts} /> },
          { value: 'feedback', label: 'Feedback', content: <FeedbackList {...parts} /> },
          { value: 'broken-links', label: 'Broken links', content: <BrokenLinks {...parts} /> },
        ]}
      />
    </>
  );
}
