import { type Preview, type Severity, severityOf, type Warning } from '@offprint/render';
import type { LiveSite } from './live-site.ts';

/** A finding with its severity, for the overlay. */
export interface Problem extends Warning {
  severity: Severity;
}

/** The state of one page, for the overlay. */
export interface PageState {
  /** Differs between runs of the command, so that an open page detects a restart. */
  run: string;
  generation: number;
  /** Why the source cannot be opened; the page shows the last state that could. */
  error: Problem | null;
  problems: Problem[];
}

/** Problems of the page at an output path (null: no page) and of the configuration. */
export function pageState(run: string, site: LiveSite, output: string | null): PageState {
  const preview = site.preview();
  const page = output === null ? null : (preview?.page(output) ?? null);
  const error = site.error();
  const common = (preview?.warnings ?? []).filter(
    (warning) => isConfiguration(warning.file) || warning.file === page?.source,
  );
  return {
    run,
    generation: site.generation(),
    error: error === null ? null : problemOf(error, 'error'),
    problems: [...common, ...(page?.warnings ?? []), ...examplesOf(preview, output)].map((warning) =>
      problemOf(warning),
    ),
  };
}

const examplesOf = (preview: Preview | null, output: string | null): readonly Warning[] =>
  output === null ? [] : (preview?.examples(output) ?? []);

export function problemOf(warning: Warning, severity = severityOf(warning.code)): Problem {
  return { ...warning, severity };
}

const isConfiguration = (file: string): boolean => /\.json$|^\.mintignore$/.test(file);
