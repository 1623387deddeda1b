import { FileArchive, FolderOpen } from 'lucide-react';
import { type DragEvent, type ReactNode, useId, useRef, useState } from 'react';
import { Button } from '../ui/index.ts';
import { droppedFiles, pickedFiles } from './picked-folder.ts';
import { type Picked, pickArchive, pickFolder } from './upload.ts';

/** Takes an archive or a folder, dropped or picked. `onFault` gets a sentence. */
export function Dropzone({
  onPick,
  onFault,
  disabled = false,
  describedBy,
  children,
}: {
  onPick: (picked: Picked) => void;
  onFault: (sentence: string) => void;
  disabled?: boolean;
  describedBy?: string;
  children?: ReactNode;
}) {
  const archive = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const helpId = useId();
  const take = (picked: Picked | string) => (typeof picked === 'string' ? onFault(picked) : onPick(picked));

  async function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    if (disabled) return;
    const entry = event.dataTransfer.items[0]?.webkitGetAsEntry() ?? null;
    const file = event.dataTransfer.files[0];
    if (event.dataTransfer.items.length > 1) onFault('Drop only one archive or folder.');
    else if (entry?.isDirectory) {
      try {
        take(pickFolder(entry.name, await droppedFiles(entry as FileSystemDirectoryEntry)));
      } catch {
        onFault(`The folder ${entry.name} could not be read. Check its permissions, or choose an archive.`);
      }
    } else if (file !== undefined) take(pickArchive(file));
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is the shortcut; the two buttons do the same
    <div
      onDragOver={(event) => {
        event.preventDefault();
        setOver(!disabled);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={`rounded-card border border-dashed p-6 text-center transition ${
        isOver ? 'border-primary bg-primary-soft' : 'border-control'
      }`}
    >
      {children}
      <p id={helpId} className="text-muted text-sm">
        Drop a .tar.gz or a folder here, or
      </p>
      <div className="mt-3 flex flex-wrap justify-center gap-2">
        <Button
          look="quiet"
          disabled={disabled}
          aria-describedby={describedBy ?? helpId}
          onClick={() => folder.current?.click()}
        >
          <FolderOpen aria-hidden="true" className="size-4" />
          Choose folder
        </Button>
        <Button
          look="quiet"
          disabled={disabled}
          aria-describedby={describedBy ?? helpId}
          onClick={() => archive.current?.click()}
        >
          <FileArchive aria-hidden="true" className="size-4" />
          Choose archive
        </Button>
      </div>
      <input
        ref={archive}
        type="file"
        accept=".gz,.tgz,application/gzip,application/x-gzip"
        hidden
        data-testid="archive"
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          if (file !== undefined) take(pickArchive(file));
          currentTarget.value = '';
        }}
      />
      <input
        ref={folder}
        type="file"
        // not in the types: one folder with all below it
        {...{ webkitdirectory: '' }}
        multiple
        hidden
        data-testid="folder"
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])];
          const name = files[0]?.webkitRelativePath.split('/')[0] ?? 'folder';
          if (files.length > 0) take(pickFolder(name, pickedFiles(files)));
          currentTarget.value = '';
        }}
      />
    </div>
  );
}
