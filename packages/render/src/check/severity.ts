/** `error`: a reader meets it. `warning`: something is lost or hard to use. `info`: worth knowing. */
export type Severity = 'error' | 'warning' | 'info';

/** Codes that are errors; whatever stops an export is one too. */
const ERRORS: ReadonlySet<string> = new Set([
  'broken-link',
  'link-not-found',
  'anchor-not-found',
  'missing-asset',
  'unsafe-link',
  'external-link-invalid',
  'file-collision',
  'page-collision',
  'reserved-path',
  'unsafe-path',
  'front-matter',
  'invalid-mdx',
  'invalid-tag',
  'unclosed-tag',
  'unexpected-tag',
  'invalid-expression',
  'expression-too-large',
  'invalid-math',
  'island-failed',
  'utilities-failed',
  'font-missing',
  'not-utf-8',
  'unresolved-import',
  'invalid-module',
  'snippet-cycle',
  'component-failed',
  'page-failed',
  'page-too-large',
  'page-too-complex',
  'nested-too-deep',
  'page-missing',
  'operation-missing',
  'description-missing',
  'description-invalid',
  'description-too-large',
  'description-reference',
  'navigation-too-large',
  'config-too-large',
  'config-type',
  'navigation-type',
  'redirect-loop',
  'redirect-target',
  'redirect-invalid',
  // Errors that stop an export.
  'config-missing',
  'source-missing',
  'unreadable-file',
  'too-many-files',
  'invalid-json',
  'ref-missing',
  'ref-escape',
  'ref-cycle',
  'ref-type',
  'navigation-missing',
  'no-pages',
  'unknown-page',
]);

const INFO: ReadonlySet<string> = new Set([
  'unlisted-page',
  'duplicate-title',
  'duplicate-id',
  'link-text-vague',
  'mint-json',
  'icon-substituted',
  'config-ignored-key',
  'config-no-effect',
  'page-restricted',
  'unsupported-source',
  'node-script',
]);

/** The severity of a kind of defect. Unknown kinds are warnings. */
export function severityOf(code: string): Severity {
  if (ERRORS.has(code)) return 'error';
  return INFO.has(code) ? 'info' : 'warning';
}
