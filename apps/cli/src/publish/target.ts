import { CliError } from '../errors.ts';
import type { Talk } from '../output.ts';

/** The bundle that a deployment is to serve. */
export interface WantedBundle {
  /** The link: whoever has it can download the bundle. */
  bundleUrl: string;
  /** SHA-256 of the bundle, hexadecimal: every deployment is pinned to it. */
  sha256: string;
  version: string;
}

export interface ApplyContext {
  talk: Talk;
  /** Aborts when the person or the pipeline has had enough. */
  signal: AbortSignal;
}

export interface Applied {
  /** What was looked after: a file, a release, the address of a site. */
  place: string;
  /** False: it had this bundle already, or is missing, and nothing was done. */
  changed: boolean;
  /** It could not be reached, and going on without it was asked for. */
  missing?: true;
}

/** What became of the bundle at a place, as a half of a sentence. */
export function appliedText({ changed, missing }: Applied): string {
  if (missing) return 'cannot be reached, left out';
  return changed ? 'has this bundle now' : 'had this bundle already, left as it is';
}

/** Where a bundle is put into place. */
export interface Target {
  /**
   * Finds what would keep the bundle out before anything is exported. Rejects with a CliError 2, or as the signal
   * does.
   */
  check(context: ApplyContext): Promise<void>;
  /** Puts the bundle into place. Rejects with an ApplyError. */
  apply(bundle: WantedBundle, context: ApplyContext): Promise<Applied[]>;
}

/** How every target treats a bundle. */
export interface ApplyRules {
  /** Names the version to the deployment, which then refuses a bundle of another one. */
  pin: boolean;
  /** Applies a bundle that is in place already: for a link that works for longer. */
  reapply: boolean;
}

export interface ValuesRules extends ApplyRules {
  /** Names that lead to `staticExport` in the values: that of a subchart; none in those of the chart itself. */
  below: readonly string[];
}

/** Stands in for a bundle to see whether one can be written. */
export const SAMPLE: WantedBundle = {
  bundleUrl: 'https://example.com/bundle',
  sha256: '0'.repeat(64),
  version: '0',
};

/** A bundle was not put into place. The message is a sentence without a secret. */
export class ApplyError extends Error {
  override name = 'ApplyError';
}

/** `staticExport` of the values of a deployment, as far as publishing knows it. */
export type StaticExport = Readonly<Record<string, unknown>>;

/** The field of the values that is written. */
export const STATIC_EXPORT = 'staticExport';

/** Names between dots, such as `parts.docs`, as a list; empty for none. Throws a CliError 2. */
export function namesIn(key: string | undefined): string[] {
  if (key === undefined) return [];
  if (!/^[\w-]+(?:\.[\w-]+)*$/.test(key))
    throw new CliError(2, `${JSON.stringify(key)} is no key of values, such as offprint`);
  return key.split('.');
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Undefined where one of the names leads nowhere. */
export function valueAt(values: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (isMap(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    values,
  );
}

/** The values with another one there; whatever else they hold stays. */
export function withValueAt(values: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  const map = isMap(values) ? values : {};
  return { ...map, [name]: withValueAt(map[name], rest, value) };
}

/** Where `staticExport` stands in values that have none where it was looked for; null when nowhere. */
export function misplaced(values: unknown): { path: string[]; message: string } | null {
  const path = pathsTo(values, 4)[0];
  if (path === undefined) return null;
  const key = path.slice(0, -1).join('.');
  return {
    path,
    message:
      key === ''
        ? `${STATIC_EXPORT} stands at the top: give no values key`
        : `${STATIC_EXPORT} stands below ${key}: give ${key} as values key`,
  };
}

function pathsTo(values: unknown, depth: number): string[][] {
  if (!isMap(values) || depth === 0) return [];
  if (Object.hasOwn(values, STATIC_EXPORT)) return [[STATIC_EXPORT]];
  return Object.entries(values).flatMap(([name, value]) =>
    pathsTo(value, depth - 1).map((path) => [name, ...path]),
  );
}

/** The values that a deployment needs for a bundle, in the order in which they are written. */
export function valuesOf(
  bundle: WantedBundle,
  before: StaticExport,
  rules: ApplyRules,
): Record<string, string | boolean> {
  return {
    enabled: true,
    bundleUrl: bundle.bundleUrl,
    // A version that was pinned before would refuse this bundle, so it moves along; 1.0 without quotes is one, too.
    ...(rules.pin || isSet(before.version) ? { version: bundle.version } : {}),
    sha256: bundle.sha256,
  };
}

/** Whether these values name the bundle already; a fresh link to the same bundle changes nothing. */
export function isInPlace(bundle: WantedBundle, before: StaticExport, rules: ApplyRules): boolean {
  if (rules.reapply || before.enabled !== true || !isText(before.bundleUrl)) return false;
  const { bundleUrl: _, ...wanted } = valuesOf(bundle, before, rules);
  return Object.entries(wanted).every(([name, value]) => before[name] === value);
}

/**
 * Refuses values of a deployment that gets its bundles in another way, or cannot be read as one; `where` is said of the
 * value at fault.
 */
export function refuseUnfit(values: StaticExport, where: (path: string[]) => string): void {
  const { pull } = values;
  if (typeof pull === 'object' && pull !== null && (pull as StaticExport).enabled === true) {
    throw new CliError(
      2,
      `${where(['pull', 'enabled'])}: staticExport.pull.enabled is true: this deployment asks the platform for new exports itself. Apply nothing, or turn pull off`,
    );
  }
  if (isText(values.existingSecret)) {
    throw new CliError(
      2,
      `${where(['existingSecret'])}: staticExport.existingSecret is set: this deployment reads its link from that Secret. Take it out, or apply nothing and write the link into the Secret`,
    );
  }
  if (typeof values.version === 'object' && values.version !== null) {
    throw new CliError(2, `${where(['version'])}: staticExport.version is no text`);
  }
  const { volume } = values;
  if (typeof volume === 'object' && volume !== null && isText((volume as StaticExport).existingClaim)) {
    throw new CliError(
      2,
      `${where(['volume', 'existingClaim'])}: staticExport.volume.existingClaim is set: this deployment reads its bundles from that volume. Take it out, or download the bundle and put it there`,
    );
  }
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** What of a link lets others download: all of it, its query, and what signs it, as it is and decoded. */
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
 * What may be secret among values that were given to a deployment: every text of them, and what of the links signs. What
 * is part of a name in them, or among the words that are told anyway, is none: errors name fields.
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

/** A function that takes these secrets out of a text, also where they stand escaped in JSON or between quotes. */
export function createMask(secrets: readonly string[]): (text: string) => string {
  const hidden = [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  return (text) => hidden.reduce((rest, part) => rest.replaceAll(part, '***'), text);
}

/** A text as it is, in quotes, in JSON, and in JSON for HTML, as Go writes it. */
function formsOf(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const html = json.replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return [text, json, html, json.replaceAll('\\"', '"').replaceAll("'", "\\'")];
}
