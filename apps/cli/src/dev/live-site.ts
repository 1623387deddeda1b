/** The source as it is on disk now, opened anew after each change; the last state that could be opened stays. */
import { directorySource, openPreview, type Preview, SourceError, type Warning } from '@offprint/render';

export interface LiveSite {
  /** The last state that could be opened; null before there was one. */
  preview(): Preview | null;
  /** Why the source cannot be opened as it is now; null when it can. */
  fault(): Warning | null;
  /** Counts up with each change. */
  generation(): number;
  /** Reads the source for the first time; `siteUrl` is where the preview is. */
  open(siteUrl: string): void;
  /** Reads the source again. */
  reload(): void;
}

/** The site of a folder. Faults of the source, and even of ours, are told by `fault` and never thrown. */
export function openLiveSite(dir: string): LiveSite {
  let siteUrl = 'http://localhost';
  let preview: Preview | null = null;
  let fault: Warning | null = null;
  let generation = 0;
  const reload = (): void => {
    generation++;
    try {
      preview = openPreview({ source: directorySource(dir), siteUrl });
      fault = null;
    } catch (error) {
      fault = describe(error);
    }
  };
  return {
    preview: () => preview,
    fault: () => fault,
    generation: () => generation,
    open(url) {
      siteUrl = url;
      reload();
    },
    reload,
  };
}

/** A fault as a defect of the source; one of ours says so. */
export function describe(error: unknown): Warning {
  if (error instanceof SourceError) {
    const { file, line, code } = error;
    const prefix = `${file}${line === null ? '' : `:${line}`}: `;
    return { file, line, code, message: error.message.slice(prefix.length) };
  }
  const message = error instanceof Error ? error.message : String(error);
  return {
    file: '.',
    line: null,
    code: 'unexpected',
    message: `Unexpected fault, please report it: ${message}`,
  };
}
