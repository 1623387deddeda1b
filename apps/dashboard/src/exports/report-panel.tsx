import type { BrokenLinkEntry, ChangeReport, ExportJob } from '@offprint/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import { Badge, Button, formatNumber, Loaded } from '../ui/index.ts';

/** Links shown at first. */
const SHOWN = 50;

const CAUSES: Readonly<Record<BrokenLinkEntry['cause'], string>> = {
  removed: 'Nothing is at this URL.',
  moved: 'The page has moved.',
  'redirect-removed': 'The redirect was removed.',
  'redirect-target': 'The redirect leads to nothing.',
  'base-path': 'The base path changed.',
  'anchor-removed': 'The page does not have this anchor.',
  'anchor-changed': 'The anchor changed.',
};

/** Links and test queries that worked in the other export and no longer do. */
export function ReportPanel({ job, since }: { job: ExportJob; since: string }) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const report = useQuery({
    queryKey: [organizationId, 'export', job.jobId, 'report', since],
    queryFn: ({ signal }) => api.getChangeReport(job.jobId, since === '' ? {} : { since }, { signal }),
    staleTime: 60_000,
  });
  return (
    <Loaded query={report} fault="The check of links did not load">
      {(data) => <Report report={data} />}
    </Loaded>
  );
}

function Report({ report: { links, queries } }: { report: ChangeReport }) {
  const misses = queries.filter(({ after }) => after !== 1);
  if (links.total === 0 && misses.length === 0) {
    return (
      <p className="mb-5 text-muted text-sm">
        {links.hasAnchors
          ? 'Every URL and anchor of the other export still works.'
          : 'Every URL of the other export still works. Anchors were not compared: one of the exports has no list of them.'}
      </p>
    );
  }
  return (
    <div className="mb-6 space-y-6">
      {links.total > 0 && <BrokenLinks links={links} />}
      {misses.length > 0 && <Misses misses={misses} />}
    </div>
  );
}

function BrokenLinks({ links }: { links: ChangeReport['links'] }) {
  const [shown, setShown] = useState(SHOWN);
  return (
    <section aria-label="Broken links" className="overflow-hidden rounded-card border">
      <header className="bg-raised px-4 py-2.5 text-sm">
        <h2 className="flex items-center gap-2 font-medium">
          <Badge tone="danger">Broken links</Badge>
          <span className="text-muted tabular-nums">{formatNumber(links.total)}</span>
        </h2>
        <p className="mt-1 text-muted">
          URLs and anchors that readers could open before. Add redirects or ids.
        </p>
      </header>
      <ul className="divide-y border-t">
        {links.broken.slice(0, shown).map((link) => (
          <li key={`${link.url}#${link.anchor ?? ''}`} className="px-4 py-2.5 text-sm">
            <BrokenLink link={link} />
          </li>
        ))}
      </ul>
      {links.broken.length > shown && (
        <div className="border-t p-2 text-center">
          <Button look="plain" size="small" onClick={() => setShown(shown + 10 * SHOWN)}>
            Show more of {formatNumber(links.total)} links
          </Button>
        </div>
      )}
    </section>
  );
}

function BrokenLink({ link }: { link: BrokenLinkEntry }) {
  const { url, anchor, cause, place, before, now, lastServedAt } = link;
  const at = place ?? before;
  return (
    <>
      <code className="break-all">
        {url}
        {anchor !== null && `#${anchor}`}
      </code>
      <p className="mt-0.5 break-all text-muted">
        {CAUSES[cause]}
        {now !== null && (
          <>
            {' '}
            Now: <code>{now}</code>
          </>
        )}
        {at !== null && (
          <>
            {' '}
            {place === null ? 'It was in' : 'See'}{' '}
            <code>
              {at.file}
              {at.line !== null && `:${at.line}`}
            </code>
            .
          </>
        )}
        {lastServedAt !== null && ` Broken before: last served on ${lastServedAt.slice(0, 10)}.`}
      </p>
    </>
  );
}

function Misses({ misses }: { misses: ChangeReport['queries'] }) {
  const rank = (place: number | null) => (place === null ? 'not found' : `number ${place}`);
  return (
    <section aria-label="Test queries" className="overflow-hidden rounded-card border">
      <header className="bg-raised px-4 py-2.5 text-sm">
        <h2 className="flex items-center gap-2 font-medium">
          <Badge tone="warning">Searches that miss</Badge>
          <span className="text-muted tabular-nums">{formatNumber(misses.length)}</span>
        </h2>
      </header>
      <ul className="divide-y border-t">
        {misses.map(({ query, expect, before, after }) => (
          <li key={`${query}\n${expect}`} className="break-all px-4 py-2.5 text-sm">
            <code>{query}</code>
            <p className="mt-0.5 text-muted">
              <code>/{expect}</code> is {rank(after)}, was {rank(before)}.
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
