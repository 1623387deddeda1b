import { type Severity, severityOf, type Warning } from '@offprint/render';
import type { LiveSite } from './live-site.ts';

/** A defect as the overlay shows it. */
export interface Problem extends Warning {
  severity: Severity;
}

/** What the overlay of one page knows. */
export interface PageState {
  /** Differs between runs of the command, so that an open page notices a new one. */
  run: string;
  generation: number;
  /** Why the source cannot be opened; the page shown is the last good one. */
  fault: Problem | null;
  problems: Problem[];
}

/** Problems of the page at an output path (null: of no page) and of the configuration. */
export function pageState(run: string, site: LiveSite, output: string | null): PageState {
  const preview = site.preview();
  const page = output === null ? null : (preview?.page(output) ?? null);
  const fault = site.fault();
  const common = (preview?.warnings ?? []).filter(
    (warning) => isConfiguration(warning.file) || warning.file === page?.source,
  );
  return {
    run,
    generation: site.generation(),
    fault: fault === null ? null : problemOf(fault, 'error'),
    problems: [...common, ...(page?.warnings ?? [])].map((warning) => problemOf(warning)),
  };
}

export function problemOf(warning: Warning, severity = severityOf(warning.code)): Problem {
  return { ...warning, severity };
}

const isConfiguration = (file: string): boolean => /\.json$|^\.mintignore$/.test(file);
