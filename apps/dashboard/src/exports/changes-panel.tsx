import type { ExportChanges, ExportJob } from '@offprint/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import {
  Badge,
  Button,
  count,
  Empty,
  FilterInput,
  FilterSelect,
  Filters,
  formatNumber,
  Loaded,
  type Tone,
  useSearchParam,
} from '../ui/index.ts';
import { type ChangeGroup, groupChanges } from './changes.ts';
import { exportKeys } from './live.ts';
import { PageChanges, type Sides } from './page-changes.tsx';
import { ReportPanel } from './report-panel.tsx';

/** Exports that can be chosen to compare with, the newest. */
const CHOICES = 50;
/** Paths of one kind shown at first, and of pages whose text is the same. */
const SHOWN = 100;
const SHOWN_LAYOUT = 5;

const dateTime = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** Pages that differ from those of another export of the domain. */
export function ChangesPanel({ job }: { job: ExportJob }) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const [since, setSince] = useSearchParam('since');
  const changes = useQuery({
    queryKey: [organizationId, 'export', job.jobId, 'changes', since],
    queryFn: ({ signal }) => api.getExportChanges(job.jobId, since === '' ? {} : { since }, { signal }),
    staleTime: 60_000,
  });
  const others = useQuery({
    queryKey: [...exportKeys.lists(organizationId), 'completed', job.domain],
    queryFn: ({ signal }) =>
      api.listExports({ domain: job.domain, status: 'completed', limit: CHOICES }, { signal }),
  });
  const choices = (others.data?.data ?? []).filter(({ jobId }) => jobId !== job.jobId);
  const isListed = since === '' || choices.some(({ jobId }) => jobId === since);
  return (
    <>
      <Filters label="Compare with">
        <FilterSelect
          label="Compare with"
          all="The previous export"
          value={since}
          onChange={setSince}
          options={[
            ...(isListed ? [] : [{ value: since, label: since }]),
            ...choices.map(({ jobId, version, createdAt }) => ({
              value: jobId,
              label: `${version ?? 'no version'}, ${dateTime.format(Date.parse(createdAt))}`,
            })),
          ]}
          className="sm:w-80"
        />
      </Filters>
      <Loaded query={changes} fault="The comparison did not load">
        {(data) => (
          <>
            {data.since !== null && <ReportPanel job={job} since={since} />}
            <Changes changes={data} />
          </>
        )}
      </Loaded>
    </>
  );
}

const KINDS: Readonly<
  Record<ChangeGroup['kind'], { title: string; word: string; tone: Tone; note?: string }>
> = {
  edited: { title: 'Edited', word: 'edited', tone: 'info' },
  renamed: {
    title: 'Renamed',
    word: 'renamed',
    tone: 'info',
    note: 'A removed and an added page with the same text.',
  },
  added: { title: 'Added', word: 'added', tone: 'success' },
  removed: { title: 'Removed', word: 'removed', tone: 'danger' },
  undetermined: {
    title: 'Changed, without a text to compare',
    word: 'without a text to compare',
    tone: 'warning',
    note: 'These pages have no Markdown copy, so text and navigation cannot be distinguished.',
  },
  layout: {
    title: 'Navigation or layout only',
    word: 'navigation or layout only',
    tone: 'neutral',
    note: 'The text of these pages is the same. Every page contains the navigation, so one new entry changes all of them.',
  },
};

function Changes({ changes }: { changes: ExportChanges }) {
  const { since, pages, files } = changes;
  const organizationId = useOrganizationId();
  const [search, setSearch] = useState('');
  if (since === null) {
    return (
      <Empty title="Nothing to compare with">
        This is the first completed export of the domain, or all earlier ones were deleted. Choose another
        export above.
      </Empty>
    );
  }
  const groups = groupChanges(changes);
  const different = files.added + files.removed + files.changed;
  const other = (
    <Link to="/$organizationId/exports/$jobId" params={{ organizationId, jobId: since }} className="link">
      the other export
    </Link>
  );
  if (groups.length === 0) {
    return (
      <Empty title={different === 0 ? 'The same files' : 'The same pages'}>
        {different === 0 ? (
          <>
            Every file is the same as in {other}, byte for byte. Deploying this export instead changes
            nothing.
          </>
        ) : (
          <>
            All {count(pages.unchanged, 'page')} are the same as in {other}.{' '}
            {count(different, 'other file differs', 'other files differ')}, such as scripts, images or the
            search index.
          </>
        )}
      </Empty>
    );
  }
  const words = search.trim().toLowerCase();
  const matches = ({ path, from }: ChangeGroup['pages'][number]) =>
    `${path}\n${from ?? ''}`.toLowerCase().includes(words);
  return (
    <>
      <div className="mb-5 flex flex-wrap items-center gap-2 text-sm">
        {groups.map(({ kind, pages: found }) => (
          <Badge key={kind} tone={KINDS[kind].tone}>
            {formatNumber(found.length)} {KINDS[kind].word}
          </Badge>
        ))}
        <span className="text-muted">
          {count(pages.unchanged, 'page')} unchanged, compared with {other}. Files of all kinds:{' '}
          {formatNumber(files.added)} added, {formatNumber(files.removed)} removed,{' '}
          {formatNumber(files.changed)} changed.
        </span>
      </div>
      {groups.reduce((sum, group) => sum + group.pages.length, 0) > 10 && (
        <Filters label="Pages">
          <FilterInput label="Search paths" value={search} onChange={setSearch} placeholder="guides/" />
        </Filters>
      )}
      <div className="space-y-6">
        {groups.map((group) => (
          <Group
            key={group.kind}
            group={group}
            found={group.pages.filter(matches)}
            sides={{ jobId: changes.jobId, since }}
          />
        ))}
      </div>
    </>
  );
}

function Group({ group, found, sides }: { group: ChangeGroup; found: ChangeGroup['pages']; sides: Sides }) {
  const { title, tone, note } = KINDS[group.kind];
  const all = group.pages.length;
  const [shown, setShown] = useState(group.kind === 'layout' ? SHOWN_LAYOUT : SHOWN);
  return (
    <section aria-label={`${title} pages`} className="overflow-hidden rounded-card border">
      <header className="bg-raised px-4 py-2.5 text-sm">
        <h2 className="flex items-center gap-2 font-medium">
          <Badge tone={tone}>{title}</Badge>
          <span className="text-muted tabular-nums">
            {found.length === all
              ? formatNumber(all)
              : `${formatNumber(found.length)} of ${formatNumber(all)}`}
          </span>
        </h2>
        {note !== undefined && <p className="mt-1 text-muted">{note}</p>}
      </header>
      {found.length === 0 ? (
        <p className="border-t px-4 py-3 text-muted text-sm">No path matches.</p>
      ) : (
        <ul className="divide-y border-t">
          {found.slice(0, shown).map(({ path, from }) => (
            <li key={path}>
              <PageChanges sides={sides} path={path} from={from} />
            </li>
          ))}
        </ul>
      )}
      {found.length > shown && (
        <div className="border-t p-2 text-center">
          <Button look="plain" size="small" onClick={() => setShown(shown + 10 * SHOWN)}>
            Show more of {formatNumber(found.length)} pages
          </Button>
        </div>
      )}
    </section>
  );
}
