import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Api } from '../session.ts';
import { Button, Empty, Fault, Skeleton } from '../ui/parts.tsx';
import { ExportCard } from './export-card.tsx';
import { StartExport } from './start-export.tsx';

const LIVE_MS = 700;
const IDLE_MS = 5000;

export function ExportsPage({ api, plan }: { api: Api; plan: string | undefined }) {
  const [starting, setStarting] = useState(false);
  const exports = useQuery({
    queryKey: ['exports'],
    queryFn: () => api.listExports({ limit: 50 }),
    refetchInterval: ({ state }) =>
      state.data?.data.some((job) => job.status === 'queued' || job.status === 'running') ? LIVE_MS : IDLE_MS,
  });
  const denied = plan !== undefined && plan !== 'enterprise';
  return (
    <>
      <div className="flex flex-wrap items-start gap-4">
        <div>
          <h1 className="font-semibold text-2xl tracking-tight">Exports</h1>
          <p className="mt-1 text-muted">A whole site as static files, in one archive.</p>
        </div>
        <Button className="ms-auto" disabled={denied} onClick={() => setStarting(true)}>
          Start export
        </Button>
      </div>
      {denied && (
        <p role="note" className="mt-4 rounded-xl border border-line p-3 text-sm">
          Static export needs the enterprise plan; this organization is on {plan}.
        </p>
      )}
      {starting && <StartExport api={api} onClose={() => setStarting(false)} />}
      {exports.isPending && <Skeleton rows={3} />}
      {exports.error && <Fault error={exports.error} />}
      {exports.data?.data.length === 0 && (
        <Empty title="No export yet">
          An export renders the site of a domain and gives you one archive that works on any static host.
          <div className="mt-4">
            <Button disabled={denied} onClick={() => setStarting(true)}>
              Start the first export
            </Button>
          </div>
        </Empty>
      )}
      <ul className="mt-6 space-y-3">
        {exports.data?.data.map((job) => (
          <ExportCard key={job.jobId} api={api} job={job} />
        ))}
      </ul>
    </>
  );
}
