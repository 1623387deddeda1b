import { CliError } from '../errors.ts';
import type { Talk } from '../output.ts';

/** The bundle to deploy. */
export interface WantedBundle {
  /** The download link, which is a secret: anyone who has it can download the bundle. */
  bundleUrl: string;
  /** SHA-256 of the bundle in hexadecimal; every deployment verifies it. */
  sha256: string;
  version: string;
}

export interface ApplyContext {
  talk: Talk;
  /** Aborts when the user or the pipeline cancels the command. */
  signal: AbortSignal;
}

export interface Applied {
  /** The file, the release or the URL of the site. */
  place: string;
  /** False if it already had this bundle or could not be reached. */
  changed: boolean;
  /** Set if it could not be reached and unreachable sites are skipped. */
  missing?: true;
}

/** The result for a place, to follow its name. */
export function appliedText({ changed, missing }: Applied): string {
  if (missing) return 'cannot be reached, skipped';
  return changed ? 'now has this bundle' : 'already had this bundle, not changed';
}

/** A place where a bundle can be deployed. */
export interface Target {
  /**
   * Checks before the export that a bundle can be deployed. Rejects with a CliError 2, or with the reason of the
   * signal.
   */
  check(context: ApplyContext): Promise<void>;
  /** Deploys the bundle. Rejects with an ApplyError. */
  apply(bundle: WantedBundle, context: ApplyContext): Promise<Applied[]>;
}

/** Rules for every target. */
export interface ApplyRules {
  /** Sets the version in the deployment, which then rejects bundles of other versions. */
  pin: boolean;
  /** Applies a bundle that is already deployed, to renew its link. */
  reapply: boolean;
}

export interface ValuesRules extends ApplyRules {
  /** Path to the values of the subchart that contains `staticExport`; empty for the chart itself. */
  below: readonly string[];
}

/** A placeholder to check whether a bundle can be written. */
export const SAMPLE: WantedBundle = {
  bundleUrl: 'https://example.com/bundle',
  sha256: '0'.repeat(64),
  version: '0',
};

/** A bundle could not be deployed. The message contains no secrets. */
export class ApplyError extends Error {
  override name = 'ApplyError';
}

/** `staticExport` in the values of a deployment. */
export type StaticExport = Readonly<Record<string, unknown>>;

/** The field of the values that publishing writes. */
export const STATIC_EXPORT = 'staticExport';

/** Splits a key such as `parts.docs` into names; empty if undefined. Throws a CliError 2. */
export function namesIn(key: string | undefined): string[] {
  if (key === undefined) return [];
  if (!/^[\w-]+(?:\.[\w-]+)*$/.test(key))
    throw new CliError(
      2,
      `Invalid values key: ${JSON.stringify(key)}. Use names separated by dots, such as offprint`,
    );
  return key.split('.');
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a path; undefined if a name is missing. */
export function valueAt(values: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (isMap(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    values,
  );
}

/** A copy of the values with another value at the path. */
export function withValueAt(values: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  const map = isMap(values) ? values : {};
  return { ...map, [name]: withValueAt(map[name], rest, value) };
}

/** Finds `staticExport` in values that do not have it at the expected path; null if missing. */
export function misplaced(values: unknown): { path: string[]; message: string } | null {
  const path = pathsTo(values, 4)[0];
  if (path === undefined) return null;
  const key = path.slice(0, -1).join('.');
  return {
    path,
    message:
      key === ''
        ? `${STATIC_EXPORT} is at the top level. Remove the values key`
        : `${STATIC_EXPORT} is below ${key}. Set the values key to ${key}`,
  };
}

function pathsTo(values: unknown, depth: number): string[][] {
  if (!isMap(values) || depth === 0) return [];
  if (Object.hasOwn(values, STATIC_EXPORT)) return [[STATIC_EXPORT]];
  return Object.entries(values).flatMap(([name, value]) =>
    pathsTo(value, depth - 1).map((path) => [name, ...path]),
  );
}

/** The values of a deployment for a bundle, in the order in which they are written. */
export function valuesOf(
  bundle: WantedBundle,
  before: StaticExport,
  rules: ApplyRules,
): Record<string, string | boolean> {
  return {
    enabled: true,
    bundleUrl: bundle.bundleUrl,
    // A previously pinned version would reject this bundle, so it is updated; it may be a number such as 1.0.
    ...(rules.pin || isSet(before.version) ? { version: bundle.version } : {}),
    sha256: bundle.sha256,
  };
}

/** Whether these values already contain the bundle. A new link to the same bundle is not a change. */
export function isInPlace(bundle: WantedBundle, before: StaticExport, rules: ApplyRules): boolean {
  if (rules.reapply || before.enabled !== true || !isText(before.bundleUrl)) return false;
  const { bundleUrl: _, ...wanted } = valuesOf(bundle, before, rules);
  return Object.entries(wanted).every(([name, value]) => before[name] === value);
}

/**
 * Rejects values of a deployment that gets its bundles in another way, and invalid values. `where` returns the location
 * of a value for the error message.
 */
export function refuseUnfit(values: StaticExport, where: (path: string[]) => string): void {
  const { pull } = values;
  if (typeof pull === 'object' && pull !== null && (pull as StaticExport).enabled === true) {
    throw new CliError(
      2,
      `${where(['pull', 'enabled'])}: staticExport.pull.enabled is true: this deployment fetches new exports from the platform. Publish without applying the bundle, or disable pull`,
    );
  }
  if (isText(values.existingSecret)) {
    throw new CliError(
      2,
      `${where(['existingSecret'])}: staticExport.existingSecret is set: this deployment reads its link from that Secret. Remove existingSecret, or publish without applying the bundle and write the link to the Secret`,
    );
  }
  if (typeof values.version === 'object' && values.version !== null) {
    throw new CliError(2, `${where(['version'])}: staticExport.version must be a string`);
  }
  const { volume } = values;
  if (typeof volume === 'object' && volume !== null && isText((volume as StaticExport).existingClaim)) {
    throw new CliError(
      2,
      `${where(['volume', 'existingClaim'])}: staticExport.volume.existingClaim is set: this deployment reads its bundles from that volume. Remove existingClaim, or download the bundle and copy it to the volume`,
    );
  }
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** The secret parts of a link: the link, its query and its signature, raw and decoded. */
export function secretsOf(link: string): string[] {
  const { search, searchParams } = new URL(link);
  const raw = search
    .slice(1)
    .split('&')
    .map((part) => part.split('='));
  const signs = (name: string | undefined) => /sig|token|credential/i.test(name ?? '');
  return [
    link,
    search.slice(1),
    ...raw.flatMap(([name, value]) => (signs(name) ? [value ?? ''] : [])),
    ...[...searchParams].flatMap(([name, value]) => (signs(name) ? [value] : [])),
  ].filter((text) => text.length >= 8);
}

/**
 * Values of a deployment that may be secret: all strings, and the signatures of links. Strings that are part of a field
 * name or of `words` are not secret, because errors contain field names.
 */
export function secretsIn(values: unknown, words: readonly string[]): string[] {
  const names = [...words];
  const texts: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value, ...value.split(/\r?\n/));
    if (typeof value !== 'object' || value === null) return;
    if (!Array.isArray(value)) names.push(...Object.keys(value));
    Object.values(value).forEach(collect);
  };
  collect(values);
  const signed = texts.flatMap((text) => (URL.canParse(text) ? secretsOf(text) : []));
  const all = [...texts.map((text) => text.trim()), ...signed];
  return [...new Set(all)].filter((text) => text.length >= 8 && !names.some((name) => name.includes(text)));
}

/** Returns a function that masks these secrets in a text, also if they are quoted or escaped in JSON. */
export function createMask(secrets: readonly string[]): (text: string) => string {
  const hidden = [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  return (text) => hidden.reduce((rest, part) => rest.replaceAll(part, '***'), text);
}

/** A text unchanged, quoted, as JSON, and as JSON escaped for HTML (the format of Go). */
function formsOf(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const html = json.replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return [text, json, html, json.replaceAll('\\"', '"').replaceAll("'", "\\'")];
}
