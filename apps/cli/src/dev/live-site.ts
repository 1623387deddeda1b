/** A docs folder that is opened again after each change; keeps the last state that could be opened. */
import { systemErrorText } from '@offprint/bundle';
import { directorySource, openPreview, type Preview, SourceError, type Warning } from '@offprint/render';
import { createPageGuard, type PageGuard } from '../process/page-guard.ts';

export interface LiveSite {
  /** The last state that could be opened; null if none could. */
  preview(): Preview | null;
  /** Why the source cannot be opened; null if it can. */
  error(): Warning | null;
  /** Increases with each change. */
  generation(): number;
  /** Reads the source for the first time; `siteUrl` is the URL of the preview. */
  open(siteUrl: string): void;
  /** Reads the source again. */
  reload(): void;
}

/** Opens the site of a folder. Errors are returned by `error` and never thrown. */
export function openLiveSite(dir: string): LiveSite {
  let siteUrl = 'http://localhost';
  let preview: Preview | null = null;
  let failure: Warning | null = null;
  let generation = 0;
  const guard = createPageGuard();
  const reload = (): void => {
    generation++;
    try {
      preview = guarded(openPreview({ source: directorySource(dir), siteUrl }), guard);
      failure = null;
    } catch (error) {
      failure = describe(error);
    }
  };
  return {
    preview: () => preview,
    error: () => failure,
    generation: () => generation,
    open(url) {
      siteUrl = url;
      reload();
    },
    reload,
  };
}

const guarded = (preview: Preview, { onPage }: PageGuard): Preview => ({
  ...preview,
  page(output) {
    onPage(output);
    try {
      return preview.page(output);
    } finally {
      onPage(null);
    }
  },
});

/** An error as a finding, with its place in the source if it has one. */
export function describe(error: unknown): Warning {
  if (error instanceof SourceError) {
    const { file, line, code } = error;
    const prefix = `${file}${line === null ? '' : `:${line}`}: `;
    return { file, line, code, message: error.message.slice(prefix.length) };
  }
  const reason = error instanceof Error ? error.message : String(error);
  const message =
    systemErrorText(error) ??
    `Internal error: ${reason}. Run the command again with OFFPRINT_DEBUG=1 and report it with that output.`;
  return { file: '.', line: null, code: 'unexpected', message };
}
