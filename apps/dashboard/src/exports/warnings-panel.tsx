import type { ExportJob, ExportWarning } from '@offprint/contract';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import {
  Button,
  count,
  Empty,
  ExternalLink,
  FilterSelect,
  Filters,
  formatNumber,
  Loaded,
  useSearchParam,
} from '../ui/index.ts';
import { countByCode, groupByFile, type WarnedFile } from './warnings.ts';

/** Files shown at once: some sites have warnings by the thousand. */
const SHOWN = 50;

/** Defects of the source that did not stop the export, by file. */
export function WarningsPanel({ job }: { job: ExportJob }) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const query = useQuery({
    queryKey: [organizationId, 'export', job.jobId, 'warnings', job.warnings],
    queryFn: ({ signal }) => api.listExportWarnings(job.jobId, { signal }),
    enabled: job.warnings > 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (job.warnings === 0) {
    return (
      <Empty icon={<CircleCheck />} title="No warnings">
        The export found no problems in links, files and settings.
      </Empty>
    );
  }
  return (
    <Loaded query={query} fault="The warnings did not load">
      {(warnings) => <Warnings warnings={warnings} />}
    </Loaded>
  );
}

function Warnings({ warnings }: { warnings: readonly ExportWarning[] }) {
  const [code, setCode] = useSearchParam('code');
  const [shown, setShown] = useState(SHOWN);
  const codes = countByCode(warnings);
  const chosen = codes.some((each) => each.code === code) ? code : null;
  const files = groupByFile(warnings, chosen);
  const number = files.reduce((sum, file) => sum + file.warnings.length, 0);
  return (
    <>
      <Filters label="Warnings">
        <FilterSelect
          label="Code"
          all={`All codes (${formatNumber(warnings.length)})`}
          value={chosen ?? ''}
          onChange={setCode}
          options={codes.map((each) => ({
            value: each.code,
            label: `${each.code} (${formatNumber(each.count)})`,
          }))}
          className="sm:w-72"
        />
        <p role="status" className="pb-2 text-muted text-sm">
          {count(number, 'warning')} in {count(files.length, 'file')}
        </p>
      </Filters>
      <div className="space-y-4">
        {files.slice(0, shown).map((file) => (
          <FileWarnings key={file.file} file={file} />
        ))}
      </div>
      {files.length > shown && (
        <div className="mt-4 flex justify-center">
          <Button look="quiet" onClick={() => setShown(shown + 4 * SHOWN)}>
            Show more of {formatNumber(files.length)} files
          </Button>
        </div>
      )}
    </>
  );
}

function FileWarnings({ file: { file, warnings } }: { file: WarnedFile }) {
  return (
    <section aria-label={file} className="overflow-hidden rounded-card border">
      <h2 className="flex items-baseline justify-between gap-4 bg-raised px-4 py-2.5 text-sm">
        <code className="min-w-0 break-all font-medium">{file}</code>
        <span className="font-normal text-muted tabular-nums">{warnings.length}</span>
      </h2>
      <ul className="divide-y border-t text-sm">
        {warnings.map((warning, index) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: the same warning can occur twice
            key={index}
            className="grid gap-x-4 gap-y-0.5 px-4 py-2.5 sm:grid-cols-[84px_minmax(0,1fr)_auto]"
          >
            <span className="whitespace-nowrap text-muted">
              <Line warning={warning} />
            </span>
            <span className="min-w-0 break-words">{warning.message}</span>
            <code className="break-all text-muted text-xs leading-6">{warning.code}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Line({ warning: { line, sourceUrl } }: { warning: ExportWarning }) {
  const words = line === null ? 'File' : `Line ${line}`;
  if (sourceUrl === null || sourceUrl === undefined) return line === null ? '–' : words;
  return <ExternalLink href={sourceUrl}>{words}</ExternalLink>;
}
