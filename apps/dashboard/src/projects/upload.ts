import type { SourceUpload } from '@offprint/contract';
import { useEffect, useRef, useState } from 'react';
import type { Api } from '../api.ts';
import { docsIn, type PickedDocs } from './picked-folder.ts';
import { packFiles, type TarFile } from './tar.ts';

/** What was picked to be uploaded: an archive as it is, or a folder that is packed first. */
export type Picked =
  | { kind: 'archive'; name: string; bytes: number; content: Blob }
  | { kind: 'folder'; name: string; bytes: number; docs: PickedDocs };

/** Reads a picked archive; a sentence when it cannot be one. */
export function pickArchive(file: File): Picked | string {
  if (!/\.(tar\.gz|tgz)$/i.test(file.name))
    return `${file.name} is not a .tar.gz file. Pack the folder with: tar czf docs.tar.gz -C docs .`;
  return { kind: 'archive', name: file.name, bytes: file.size, content: file };
}

/** Reads a picked folder; a sentence when it holds no docs. */
export function pickFolder(name: string, files: readonly TarFile[]): Picked | string {
  const docs = docsIn(files);
  return typeof docs === 'string' ? docs : { kind: 'folder', name, bytes: docs.bytes, docs };
}

export type UploadState =
  | { step: 'idle' }
  | { step: 'packing'; share: number }
  | { step: 'sending'; bytes: number }
  | { step: 'done'; upload: SourceUpload }
  | { step: 'failed'; error: unknown };

/** Packs what was picked and sends it as the docs of a project. */
export function useUpload(api: Api) {
  const [state, setState] = useState<UploadState>({ step: 'idle' });
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  async function upload(projectId: string, picked: Picked): Promise<SourceUpload | null> {
    running.current?.abort();
    const abort = new AbortController();
    running.current = abort;
    try {
      let shown = -1;
      const archive =
        picked.kind === 'archive'
          ? picked.content
          : await packFiles(
              picked.docs.files,
              (share) => {
                const percent = Math.floor(share * 100);
                if (percent !== shown) setState({ step: 'packing', share: percent / 100 });
                shown = percent;
              },
              abort.signal,
            );
      setState({ step: 'sending', bytes: archive.size });
      const done = await api.putProjectSource(projectId, archive, { signal: abort.signal });
      setState({ step: 'done', upload: done });
      return done;
    } catch (error) {
      if (!abort.signal.aborted) setState({ step: 'failed', error });
      return null;
    }
  }
  return { state, upload, reset: () => setState({ step: 'idle' }) };
}
