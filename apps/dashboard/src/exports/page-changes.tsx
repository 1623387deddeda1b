import type { ExportPageChanges } from '@offprint/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { PatchLines } from '../agent/patch-view.tsx';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import { Button, Loaded } from '../ui/index.ts';
import { usePreview } from './preview.ts';

/** The two exports that are compared. */
export interface Sides {
  jobId: string;
  since: string;
}

/** A changed page: its path, and on request what differs with links to both previews. */
export function PageChanges({
  sides,
  path,
  from,
}: {
  sides: Sides;
  path: string;
  from?: string | undefined;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="flex items-baseline gap-3 px-4 py-2 font-mono text-[13px] -outline-offset-2 marker:content-none hover:bg-hover">
        <span aria-hidden="true" className={`text-faint transition-transform ${isOpen ? 'rotate-90' : ''}`}>
          ›
        </span>
        <span className="min-w-0 break-all">
          {from !== undefined && (
            <>
              <span className="text-muted">{from}</span>
              <span aria-hidden="true" className="text-faint">
                {' → '}
              </span>
              <span className="sr-only"> renamed to </span>
            </>
          )}
          {path}
        </span>
      </summary>
      {isOpen && <Details sides={sides} path={path} from={from} />}
    </details>
  );
}

function Details({ sides, path, from }: { sides: Sides; path: string; from: string | undefined }) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const { jobId, since } = sides;
  const query = useQuery({
    queryKey: [organizationId, 'export', jobId, 'changes', since, 'page', path],
    queryFn: ({ signal }) => api.getExportPageChanges(jobId, { path, since }, { signal }),
    enabled: from === undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (from !== undefined) {
    return (
      <>
        <Previews sides={sides} before={from} after={path} />
        <p className="border-t px-4 py-3 text-muted text-sm">The text is the same.</p>
      </>
    );
  }
  return (
    <div className="border-t">
      <Loaded query={query} fault="The changes of the page did not load">
        {(changes) => (
          <>
            <Previews
              sides={sides}
              before={changes.change === 'added' ? null : path}
              after={changes.change === 'removed' ? null : path}
            />
            <Text changes={changes} />
            {changes.links !== null && <Links links={changes.links} />}
          </>
        )}
      </Loaded>
    </div>
  );
}

/** Opens the page in the previews of the exports that have it. */
function Previews({ sides, before, after }: { sides: Sides; before: string | null; after: string | null }) {
  const preview = usePreview();
  return (
    <div className="flex flex-wrap items-center gap-2 bg-raised px-4 py-2 text-sm">
      <span className="text-muted">Open the page:</span>
      {before !== null && (
        <Button
          look="quiet"
          size="small"
          busy={preview.isPending}
          onClick={() => preview.open(sides.since, before)}
        >
          Other export
        </Button>
      )}
      {after !== null && (
        <Button
          look="quiet"
          size="small"
          busy={preview.isPending}
          onClick={() => preview.open(sides.jobId, after)}
        >
          This export
        </Button>
      )}
    </div>
  );
}

const MISSING: Readonly<Record<NonNullable<ExportPageChanges['diffMissing']>, string>> = {
  same_text: 'The text is the same.',
  no_markdown: 'This page has no Markdown copy, so its text cannot be compared.',
  too_large: 'The text is too large to compare here. Open both previews instead.',
};

function Text({ changes }: { changes: ExportPageChanges }) {
  if (changes.diff === null) {
    return (
      <p className="border-t px-4 py-3 text-muted text-sm">{MISSING[changes.diffMissing ?? 'same_text']}</p>
    );
  }
  return <PatchLines file={{ path: `${changes.path}.md`, diff: changes.diff }} />;
}

function Links({ links: { added, removed } }: { links: NonNullable<ExportPageChanges['links']> }) {
  if (added.length + removed.length === 0) {
    return (
      <p className="px-4 pb-3 text-muted text-sm">
        The links and assets are the same too: only markup differs, such as the order of the navigation.
      </p>
    );
  }
  return (
    <div className="grid gap-x-6 gap-y-3 px-4 pb-3 text-sm sm:grid-cols-2">
      <LinkList title="Links and assets only in the other export" links={removed} />
      <LinkList title="Links and assets only in this export" links={added} />
    </div>
  );
}

function LinkList({ title, links }: { title: string; links: readonly string[] }) {
  if (links.length === 0) return null;
  return (
    <section aria-label={title} className="min-w-0">
      <h3 className="mb-1 text-muted">{title}</h3>
      <ul className="space-y-0.5 font-mono text-[13px]">
        {links.map((link) => (
          <li key={link} className="break-all">
            {link}
          </li>
        ))}
      </ul>
    </section>
  );
}
