/** Renders the chart with Helm. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findHelm } from './helm-program.ts';

export const chartFolder = fileURLToPath(new URL('../../deploy/helm/offprint', import.meta.url));

export interface RenderOptions {
  name?: string;
  namespace?: string;
  /** Texts in the place of files of the chart, or beside them, by path from its folder. */
  overlay?: Record<string, string>;
}

export interface Rendered {
  /** Text by path of the template; none when there is an error. */
  files: Record<string, string>;
  /** What Helm says when it refuses the values or a template. */
  error: string | null;
}

export const namespace = 'web';

const program = findHelm();

/** Why the chart is not rendered here; null when it is. */
export const whyNoHelm =
  program === null
    ? 'Helm 3 is not installed, and the one of the npm packages runs on Linux on x64 only'
    : null;

/** What Helm makes of values, a text in YAML, on top of those of the chart. */
export function render(values: string, options: RenderOptions = {}): Rendered {
  return inChart(options.overlay ?? {}, (folder) => {
    const place = ['--namespace', options.namespace ?? namespace, '--kube-version', '1.33.0'];
    const args = ['template', options.name ?? 'docs', folder, ...place, '-f', '-'];
    const { status, output, errors } = helm(args, values);
    return status === 0 ? { files: filesOf(output), error: null } : { files: {}, error: errors };
  });
}

/** What `helm lint --strict` complains of; empty when it does not. */
export function lint(values: string): string {
  const { status, output, errors } = helm(['lint', '--strict', chartFolder, '-f', '-'], values);
  return status === 0 ? '' : output + errors;
}

/** NOTES, which Helm prints after an install only, by way of an object that holds them. */
export function renderNotes(values: string): string {
  const notes = readFileSync(join(chartFolder, 'templates/NOTES.txt'), 'utf8');
  const path = 'templates/notes.yaml';
  const { files, error } = render(values, {
    overlay: {
      'templates/_notes.tpl': `{{- define "notes" -}}\n${notes}{{- end -}}`,
      [path]: '{ apiVersion: v1, kind: Notes, text: {{ include "notes" . | toJson }} }\n',
    },
  });
  if (error !== null) throw new Error(error);
  return JSON.parse(/text: (".*") \}/.exec(files[path]!)![1]!);
}

/** The values as the templates find them. */
export function valuesSeen(values: string): unknown {
  const path = 'templates/seen.yaml';
  const { files, error } = render(values, {
    overlay: { [path]: '{ apiVersion: v1, kind: Seen, values: {{ toJson .Values }} }\n' },
  });
  if (error !== null) throw new Error(error);
  return JSON.parse(/values: (.*) \}/.exec(files[path]!)![1]!);
}

function inChart<Result>(overlay: Record<string, string>, use: (folder: string) => Result): Result {
  if (Object.keys(overlay).length === 0) return use(chartFolder);
  const folder = mkdtempSync(join(tmpdir(), 'offprint-chart-'));
  try {
    cpSync(chartFolder, folder, { recursive: true });
    for (const [path, text] of Object.entries(overlay)) writeFileSync(join(folder, path), text);
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Helm puts the path of the template before each object that it made. */
function filesOf(output: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const piece of output.split(/^---\n# Source: offprint\//m).slice(1)) {
    const end = piece.indexOf('\n');
    const path = piece.slice(0, end);
    files[path] = `${path in files ? `${files[path]}---\n` : ''}${piece.slice(end + 1)}`;
  }
  return files;
}

function helm(args: string[], input: string): { status: number | null; output: string; errors: string } {
  const { status, stdout, stderr } = spawnSync(program ?? 'helm', args, {
    input,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  return { status, output: stdout, errors: stderr };
}
