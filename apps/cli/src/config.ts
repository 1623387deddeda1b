import { readFileSync } from 'node:fs';
import { assetPath } from '@offprint/render/assets';
import { CliError } from './errors.ts';

/** Built by `npm start`; a server without it answers 404 there. */
const DASHBOARD = assetPath('apps/dashboard/dist');

/** What the environment says to commands that talk to a server. */
export interface ClientSettings {
  /** URL of the platform, without a slash at the end. */
  url: string;
  key: string;
}

/** Reads OFFPRINT_URL and OFFPRINT_API_KEY (or OFFPRINT_API_KEY_FILE). A key is never taken from arguments. */
export function clientSettings(url: string | undefined): ClientSettings {
  const address = url ?? process.env.OFFPRINT_URL ?? 'http://127.0.0.1:4100';
  if (!URL.canParse(address))
    throw new CliError(2, `Invalid server URL: ${address}. Use a URL such as https://offprint.example.com.`);
  return { url: address.replace(/\/+$/, ''), key: secretSetting('OFFPRINT_API_KEY', 'API key') };
}

/** OFFPRINT_SITE_TOKEN (or OFFPRINT_SITE_TOKEN_FILE): what lets a program switch a site server to another bundle. */
export function siteToken(): string {
  return secretSetting('OFFPRINT_SITE_TOKEN', 'token of the site');
}

function secretSetting(name: string, what: string): string {
  const file = process.env[`${name}_FILE`];
  const value = process.env[name] ?? (file === undefined ? undefined : readSecret(name, file));
  if (value === undefined || value.trim() === '') {
    throw new CliError(2, `Missing ${what}. Set ${name}, or set ${name}_FILE to a file that contains it.`);
  }
  return value.trim();
}

function readSecret(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CliError(2, `Cannot read the file of ${name}_FILE: ${(cause as Error).message}`);
  }
}

/** The chart of this installation. */
export const CHART = assetPath('deploy/helm/offprint');

/** The environment of this process, of which Helm gets a part. */
export function wholeEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/** The project that agent commands are about when they name none. */
export function projectSetting(project: string | undefined): string {
  const id = project ?? process.env.OFFPRINT_PROJECT;
  if (id === undefined || id.trim() === '') {
    throw new CliError(2, 'Missing project. Name it with --project <id>, or set OFFPRINT_PROJECT.');
  }
  return id.trim();
}

/** What OFFPRINT_AGENT_* say of the model, for work without a server. */
export function agentEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/** The variables the server reads, for the commands that run it in this process. */
export function serverEnvironment(): Record<string, string | undefined> {
  return { OFFPRINT_DASHBOARD_DIR: DASHBOARD, ...process.env };
}

/** Whether errors come with their stack trace. */
export function isDebug(): boolean {
  return !['', '0', 'false', undefined].includes(process.env.OFFPRINT_DEBUG);
}

/** Colours and moving lines are for terminals that want them. */
export function wantsColor(): boolean {
  return process.env.NO_COLOR === undefined && process.env.TERM !== 'dumb';
}
