import type { ExportChanges, ExportJob } from '@offprint/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../session.tsx';
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
import { exportKeys } from './live.ts';

/** Exports that can be chosen to compare with, the newest. */
const CHOICES = 50;
/** Paths of one kind shown at first. */
const SHOWN = 100;

const dateTime = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** Pages that another export of the domain had not, or had otherwise. */
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
          all="The one before it"
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
        {(data) => <Changes changes={data} />}
      </Loaded>
    </>
  );
}

const KINDS = [
  { kind: 'added', title: 'Added', tone: 'success' },
  { kind: 'removed', title: 'Removed', tone: 'danger' },
  { kind: 'changed', title: 'Changed', tone: 'info' },
] as const satisfies { kind: string; title: string; tone: Tone }[];

function Changes({ changes: { since, pages, files } }: { changes: ExportChanges }) {
  const organizationId = useOrganizationId();
  const [search, setSearch] = useState('');
  if (since === null) {
    return (
      <Empty title="There is nothing to compare with">
        This is the first completed export of the domain, or those before it were deleted. Choose another one
        above.
      </Empty>
    );
  }
  const total = pages.added.length + pages.removed.length + pages.changed.length;
  const different = files.added + files.removed + files.changed;
  const other = (
    <Link to="/$organizationId/exports/$jobId" params={{ organizationId, jobId: since }} className="link">
      the other export
    </Link>
  );
  if (total === 0) {
    return (
      <Empty title={different === 0 ? 'The same files' : 'The same pages'}>
        {different === 0 ? (
          <>Every file is as in {other}, byte for byte. Deploying this one in its place changes nothing.</>
        ) : (
          <>
            {count(pages.unchanged, 'page')} as in {other}; {count(different, 'other file')} such as scripts,
            images or the search differ.
          </>
        )}
      </Empty>
    );
  }
  const words = search.trim().toLowerCase();
  return (
    <>
      <div className="mb-5 flex flex-wrap items-center gap-2 text-sm">
        {KINDS.map(({ kind, title, tone }) => (
          <Badge key={kind} tone={pages[kind].length === 0 ? 'neutral' : tone}>
            {formatNumber(pages[kind].length)} {title.toLowerCase()}
          </Badge>
        ))}
        <span className="text-muted">
          {count(pages.unchanged, 'page')} unchanged, compared with {other}. Files of all kinds: {files.added}{' '}
          added, {files.removed} removed, {files.changed} changed.
        </span>
      </div>
      {total > 10 && (
        <Filters label="Pages">
          <FilterInput label="Search paths" value={search} onChange={setSearch} placeholder="guides/" />
        </Filters>
      )}
      <div className="space-y-6">
        {KINDS.map(({ kind, title, tone }) => {
          const found = pages[kind].filter((path) => path.toLowerCase().includes(words));
          if (pages[kind].length === 0) return null;
          return <Paths key={kind} title={title} tone={tone} paths={found} all={pages[kind].length} />;
        })}
      </div>
    </>
  );
}

function Paths({
  title,
  tone,
  paths,
  all,
}: {
  title: string;
  tone: Tone;
  paths: readonly string[];
  all: number;
}) {
  const [shown, setShown] = useState(SHOWN);
  return (
    <section aria-label={`${title} pages`} className="overflow-hidden rounded-card border">
      <h2 className="flex items-center gap-2 bg-raised px-4 py-2.5 font-medium text-sm">
        <Badge tone={tone}>{title}</Badge>
        <span className="text-muted tabular-nums">
          {paths.length === all ? formatNumber(all) : `${formatNumber(paths.length)} of ${formatNumber(all)}`}
        </span>
      </h2>
      {paths.length === 0 ? (
        <p className="border-t px-4 py-3 text-muted text-sm">No path matches.</p>
      ) : (
        <ul className="divide-y border-t font-mono text-[13px]">
          {paths.slice(0, shown).map((path) => (
            <li key={path} className="break-all px-4 py-2">
              {path}
            </li>
          ))}
        </ul>
      )}
      {paths.length > shown && (
        <div className="border-t p-2 text-center">
          <Button look="plain" size="small" onClick={() => setShown(shown + 10 * SHOWN)}>
            Show more
          </Button>
        </div>
      )}
    </section>
  );
}
