import type { ExportBundle, ExportJob } from '@offprint/contract';
import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../api.ts';
import {
  Button,
  Card,
  CopyButton,
  ExactTime,
  Facts,
  Fault,
  FilterSelect,
  formatBytes,
  formatNumber,
  Id,
  Input,
  messageOf,
  Section,
  Time,
  toast,
  useGate,
} from '../ui/index.ts';
import { bundleFileName, downloadCommands, helmValues } from './snippets.ts';

/** Seconds that the link of one download works: the download itself may take as long as it takes. */
const ONE_DOWNLOAD = 300;

/** Creates a link for one download and starts it. */
export function DownloadButton({ job }: { job: ExportJob }) {
  const api = useApi();
  const reason = useGate({ plan: 'enterprise' });
  const download = useMutation({
    mutationFn: () => api.createBundle(job.jobId, { expiresIn: ONE_DOWNLOAD }),
    onSuccess: ({ bundleUrl, sizeBytes }) => {
      const link = document.createElement('a');
      link.href = bundleUrl;
      link.download = bundleFileName(job.domain, job.version);
      link.rel = 'noopener noreferrer';
      link.click();
      toast(`Download of ${formatBytes(sizeBytes)} started`);
    },
    onError: (error) => toast.error(messageOf(error)),
  });
  return (
    <Button reason={reason} busy={download.isPending} onClick={() => download.mutate()}>
      <Download aria-hidden="true" className="size-4" />
      Download
    </Button>
  );
}

const LIFETIMES = [
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
] as const;

/** Links to the bundle, and what to do with them. */
export function DownloadPanel({ job }: { job: ExportJob }) {
  const api = useApi();
  const reason = useGate({ plan: 'enterprise' });
  const [lifetime, setLifetime] = useState<string>(LIFETIMES[0].value);
  // Anyone who has a link can download the bundle, so it is kept in this page only.
  const create = useMutation({
    mutationFn: (expiresIn: number) => api.createBundle(job.jobId, { expiresIn }),
  });
  const bundle = create.data;
  const { artifact } = job;
  return (
    <>
      {artifact !== null && (
        <Facts
          facts={[
            ['Pages', formatNumber(job.pageCount)],
            ['Files', `${formatNumber(artifact.files)}, ${formatBytes(artifact.bytes)} unpacked`],
            ['Digest of the files', <Id key="digest" value={artifact.sha256} name="digest" />],
          ]}
        />
      )}
      <Section
        title="Link to the bundle"
        description="Anyone who has the link can download the bundle until the link expires. Every link returns the same bytes."
      >
        <Card>
          <div className="flex flex-wrap items-end gap-3">
            <FilterSelect
              label="Valid for"
              value={lifetime}
              onChange={setLifetime}
              options={LIFETIMES}
              className="sm:w-36"
            />
            <Button
              look="quiet"
              reason={reason}
              busy={create.isPending}
              onClick={() => create.mutate(Number(lifetime))}
            >
              Create link
            </Button>
          </div>
          {create.error !== null && (
            <div className="mt-4">
              <Fault error={create.error} title="The link was not created" />
            </div>
          )}
          {bundle !== undefined && <Link bundle={bundle} />}
        </Card>
      </Section>
      {bundle !== undefined && <Snippets bundle={bundle} job={job} />}
    </>
  );
}

function Link({ bundle }: { bundle: ExportBundle }) {
  return (
    <div className="mt-4">
      <div className="flex flex-wrap gap-2">
        <Input
          readOnly
          aria-label="Bundle link"
          value={bundle.bundleUrl}
          onFocus={(event) => event.currentTarget.select()}
          className="min-w-0 flex-1 basis-64 font-mono text-sm"
        />
        <CopyButton text={bundle.bundleUrl} label="Copy link" size="normal" />
      </div>
      <p role="status" className="mt-2 text-muted text-sm">
        Expires <Time at={bundle.expiresAt} />, <ExactTime at={bundle.expiresAt} />
      </p>
      <div className="mt-4">
        <Facts
          facts={[
            ['Size', formatBytes(bundle.sizeBytes)],
            ['SHA-256 of the archive', <Id key="sha256" value={bundle.sha256} name="SHA-256" />],
          ]}
        />
      </div>
    </div>
  );
}

function Snippets({ bundle, job }: { bundle: ExportBundle; job: ExportJob }) {
  const file = bundleFileName(job.domain, job.version);
  return (
    <>
      <Section
        title="Download and unpack"
        description="Verifies the digest, then unpacks into the folder site."
      >
        <Snippet name="commands" text={downloadCommands(bundle, file)} />
      </Section>
      <Section
        title="Helm values"
        description="For a deployment that serves the bundle. Pods download the bundle when they start, so the link must still be valid then."
      >
        <Snippet name="values" text={helmValues(bundle)} />
      </Section>
    </>
  );
}

function Snippet({ name, text }: { name: string; text: string }) {
  return (
    <div className="overflow-hidden rounded-card border bg-sunken">
      <div className="flex justify-end border-b bg-raised px-3 py-1.5">
        <CopyButton text={text} label={`Copy ${name}`} look="plain" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable by keyboard */}
      <pre tabIndex={0} className="overflow-x-auto p-4 font-mono text-[13px] leading-[21px]">
        {text}
      </pre>
    </div>
  );
}
