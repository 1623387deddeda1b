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
  /** False: it had this bundle already, and nothing was done. */
  changed: boolean;
}

/** Where a bundle is put into place. */
export interface Target {
  /** Finds what would keep the bundle out before anything is exported. Rejects with a CliError 2, or as `signal` does. */
  check(signal: AbortSignal): Promise<void>;
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

/** A bundle was not put into place. The message is a sentence without a secret. */
export class ApplyError extends Error {
  override name = 'ApplyError';
}

/** `staticExport` of the values of a deployment, as far as publishing knows it. */
export type StaticExport = Readonly<Record<string, unknown>>;

/** The values that a deployment needs for a bundle, in the order in which they are written. */
export function valuesOf(
  bundle: WantedBundle,
  before: StaticExport,
  rules: ApplyRules,
): Record<string, string | boolean> {
  return {
    enabled: true,
    bundleUrl: bundle.bundleUrl,
    // A version that was pinned before would refuse this bundle, so it moves along.
    ...(rules.pin || isText(before.version) ? { version: bundle.version } : {}),
    sha256: bundle.sha256,
  };
}

/** Whether these values name the bundle already; a fresh link to the same bundle changes nothing. */
export function isInPlace(bundle: WantedBundle, before: StaticExport, rules: ApplyRules): boolean {
  if (rules.reapply || before.enabled !== true || !isText(before.bundleUrl)) return false;
  const { bundleUrl: _, ...wanted } = valuesOf(bundle, before, rules);
  return Object.entries(wanted).every(([name, value]) => before[name] === value);
}

/** Refuses values of a deployment that gets its bundles in another way; `where` is said of the value at fault. */
export function refuseOtherSource(values: StaticExport, where: (path: string[]) => string): void {
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
  const { volume } = values;
  if (typeof volume === 'object' && volume !== null && isText((volume as StaticExport).existingClaim)) {
    throw new CliError(
      2,
      `${where(['volume', 'existingClaim'])}: staticExport.volume.existingClaim is set: this deployment reads its bundles from that volume. Take it out, or download the bundle and put it there`,
    );
  }
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

/** A function that takes these secrets out of a text. */
export function createMask(secrets: readonly string[]): (text: string) => string {
  const hidden = [...new Set(secrets)].sort((a, b) => b.length - a.length);
  return (text) => hidden.reduce((rest, part) => rest.replaceAll(part, '***'), text);
}
