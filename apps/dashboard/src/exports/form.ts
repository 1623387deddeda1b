import { normalizePagePath, type StartExportBody, startExportBody } from '@offprint/contract';

/** The fields of the dialog as a person fills them. */
export interface ExportForm {
  domain: string;
  version: string;
  ref: string;
  /** One page a line. */
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
  const errors: Partial<Record<ExportField, string>> = {};
  if (body.domain === '') errors.domain = 'Choose the domain to export.';
  const wrong = paths.find((path) => normalizePagePath(path) === null);
  if (wrong !== undefined) errors.paths = `“${wrong}” is no path of a page, such as guides/start.`;
  const parsed = startExportBody.safeParse(body);
  for (const issue of parsed.error?.issues ?? []) {
    const field = fieldOfPath(issue.path);
    if (field !== null) errors[field] ??= sentence(issue.message);
  }
  return Object.keys(errors).length === 0 ? { body, errors: null } : { body: null, errors };
}

/** The field that a parameter of an error of the server is about (`/source/ref`); null: none of the form. */
export function fieldOfParam(param: string | undefined | null): ExportField | null {
  return fieldOfPath((param ?? '').split('/').filter((part) => part !== ''));
}

function fieldOfPath(path: readonly PropertyKey[]): ExportField | null {
  const [first, second] = path;
  if (first === 'domain' || first === 'version' || first === 'paths') return first;
  if (first === 'source') return 'ref';
  if (first === 'options') return second === 'includeUnlisted' ? 'includeUnlisted' : 'groups';
  return null;
}

function linesOf(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function sentence(message: string): string {
  const text = message.replace(/\.?$/, '.');
  return /^must /.test(text) ? `It ${text}` : text;
}
