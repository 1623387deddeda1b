import { FileArchive, FolderOpen } from 'lucide-react';
import { Button, count, Fault, formatBytes, Progress } from '../ui/index.ts';
import type { Picked, UploadState } from './upload.ts';

/** What was picked, with what will be packed of it. */
export function PickedLine({ picked, onClear }: { picked: Picked; onClear?: () => void }) {
  const Icon = picked.kind === 'archive' ? FileArchive : FolderOpen;
  return (
    <div className="flex items-start gap-3 rounded-card border bg-raised p-4 text-sm">
      <Icon aria-hidden="true" className="mt-0.5 size-4.5 flex-none text-muted" />
      <div className="min-w-0 flex-1">
        <p className="break-words font-medium">{picked.name}</p>
        <p className="text-muted">{detailsOf(picked)}</p>
      </div>
      {onClear !== undefined && (
        <Button look="plain" size="small" onClick={onClear}>
          Choose another
        </Button>
      )}
    </div>
  );
}

function detailsOf(picked: Picked): string {
  if (picked.kind === 'archive') return formatBytes(picked.bytes);
  const { files, root, leftOut } = picked.docs;
  const place = root === '' ? '' : ` in ${root}, where docs.json is`;
  const rest = leftOut === 0 ? '' : ` ${count(leftOut, 'other file')} left out.`;
  return `${count(files.length, 'file')}, ${formatBytes(picked.bytes)}${place}.${rest}`;
}

/** How far packing and sending are. */
export function UploadProgress({ state, retry }: { state: UploadState; retry?: () => void }) {
  switch (state.step) {
    case 'idle':
      return null;
    case 'packing':
      return (
        <div>
          <p className="mb-2 text-sm">Packing, {Math.round(state.share * 100)} %</p>
          <Progress label="Packing" value={state.share * 100} />
        </div>
      );
    case 'sending':
      return (
        <div role="status">
          <p className="mb-2 text-sm">Uploading {formatBytes(state.bytes)}</p>
          <Progress label="Uploading" value={undefined} />
        </div>
      );
    case 'done':
      return (
        <p role="status" className="text-sm">
          Uploaded: {count(state.upload.files, 'file')}, {formatBytes(state.upload.sizeBytes)}.
        </p>
      );
    case 'failed':
      return (
        <Fault
          error={state.error}
          title="The docs were not uploaded"
          {...(retry === undefined ? {} : { retry })}
        />
      );
  }
}
