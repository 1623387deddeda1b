import { normalizePagePath, type StartExportBody } from '@offprint/contract';

/** The fields of the dialog as a person fills them. */
export interface ExportForm {
  domain: string;
  version: string;
  ref: string;
  /** One page per line. */
  paths: string;
  includeUnlisted: boolean;
  /** Separated by commas or lines. */
  groups: string;
}

export type ExportField = keyof ExportForm;

export const EMPTY_EXPORT_FORM: ExportForm = {
  domain: '',
  version: '',
  ref: '',
  paths: '',
  includeUnlisted: true,
  groups: '',
};

export type FormResult =
  | { body: StartExportBody; errors: null }
  | { body: null; errors: Partial<Record<ExportField, string>> };

/** The request that the form asks for, or what is wrong with its fields. */
export function readExportForm(form: ExportForm): FormResult {
  const paths = linesOf(form.paths);
  const groups = form.groups
    .split(/[,\n]/)
    .map((group) => group.trim())
    .filter((group) => group !== '');
  const options = {
    ...(form.includeUnlisted ? {} : { includeUnlisted: false }),
    ...(groups.length === 0 ? {} : { groups }),
  };
  const body: StartExportBody = {
    domain: form.domain.trim(),
    ...(form.version.trim() === '' ? {} : { version: form.version.trim() }),
    ...(form.ref.trim() === '' ? {} : { source: { ref: form.ref.trim() } }),
    ...(paths.length === 0 ? {} : { paths }),
    ...(Object.keys(options).length === 0 ? {} : { options }),
  };
  const errors = faultsOf(body, paths);
  return Object.keys(errors).length === 0 ? { body, errors: null } : { body: null, errors };
}

/** As the contract says it; the server reports what only it can know. */
const VERSION = /^[A-Za-z0-9._-]{1,64}$/;
const REF = /^(?!-)(?!.*\.\.)[^\s\p{Cc}~^:?*[\\]{1,255}$/u;
const MOST_PATHS = 10_000;

function faultsOf(body: StartExportBody, paths: readonly string[]): Partial<Record<ExportField, string>> {
  const errors: Partial<Record<ExportField, string>> = {};
  const { version, source, options } = body;
  if (body.domain === '') errors.domain = 'Choose the domain to export.';
  if (version !== undefined && !VERSION.test(version))
    errors.version = 'Use 1 to 64 of the characters A-Z, a-z, 0-9, dot, underscore and hyphen.';
  if (source?.ref !== undefined && !REF.test(source.ref))
    errors.ref = 'This is not a valid branch, tag or commit.';
  const wrong = paths.find((path) => normalizePagePath(path) === null);
  if (wrong !== undefined)
    errors.paths = `“${wrong}” is not a valid page path. Use a path such as guides/start.`;
  if (paths.length > MOST_PATHS)
    errors.paths = 'Name at most 10,000 paths. Leave the field empty to export all pages.';
  if (options?.groups?.some((group) => group.length > 128) || (options?.groups?.length ?? 0) > 100)
    errors.groups = 'Name at most 100 groups of 128 characters.';
  return errors;
}

function linesOf(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
