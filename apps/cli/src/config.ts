import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assetPath } from '@offprint/render/assets';
import { cacheFolder } from '../../../scripts/launch.mjs';
import { CliError } from './errors.ts';

/** Built by `npm start`; without it, a server returns 404 for the dashboard. */
const DASHBOARD = assetPath('apps/dashboard/dist');
/** Exported by `npm start` in the background; until then, a server returns 503 for it. */
const DOCS = assetPath('dist/docs');

/** Settings from the environment for commands that talk to a server. */
export interface ClientSettings {
  /** URL of the platform, without a trailing slash. */
  url: string;
  key: string;
}

/** Reads OFFPRINT_URL and OFFPRINT_API_KEY (or OFFPRINT_API_KEY_FILE). A key is never taken from arguments. */
export function clientSettings(url: string | undefined): ClientSettings {
  const serverUrl = url ?? process.env.OFFPRINT_URL ?? 'http://127.0.0.1:4100';
  // `localhost:4100` is a URL with the scheme `localhost`.
  if (!URL.canParse(serverUrl) || !/^https?:$/.test(new URL(serverUrl).protocol)) {
    const origin = url === undefined ? 'OFFPRINT_URL' : '--server';
    throw new CliError(
      2,
      `Invalid server URL in ${origin}: ${serverUrl}. Use an http or https URL such as https://offprint.example.com.`,
    );
  }
  return { url: serverUrl.replace(/\/+$/, ''), key: secretSetting('OFFPRINT_API_KEY', 'API key') };
}

/** OFFPRINT_SITE_TOKEN (or OFFPRINT_SITE_TOKEN_FILE), which authorizes switching a site server to another bundle. */
export function siteToken(): string {
  return secretSetting('OFFPRINT_SITE_TOKEN', 'site token');
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
    throw new CliError(2, `Cannot read the file named by ${name}_FILE: ${(cause as Error).message}`);
  }
}

/** Where exports are kept that an unchanged docs folder can be given again. */
export function exportCacheFolder(): string {
  return join(cacheFolder(), 'exports');
}

/** The chart of this installation. */
export const CHART = assetPath('deploy/helm/offprint');

/** The environment of this process; Helm gets a part of it. */
export function wholeEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/**
 * A command as a user can run it. npm puts the program on the path only for what npm starts itself, so a program that
 * npm or npx started prints commands with npx.
 */
export function ownCommand(words: string): string {
  return process.env.npm_command === undefined ? `offprint ${words}` : `npx offprint ${words}`;
}

/** The project of agent commands: the option, or the default from the environment. */
export function projectSetting(project: string | undefined): string {
  const id = project ?? process.env.OFFPRINT_PROJECT;
  if (id === undefined || id.trim() === '') {
    throw new CliError(2, 'Missing project. Set it with --project <id> or OFFPRINT_PROJECT.');
  }
  return id.trim();
}

/** The environment with the OFFPRINT_AGENT_* settings of the model, for work without a server. */
export function agentEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/** The variables the server reads, for the commands that run it in this process. */
export function serverEnvironment(): Record<string, string | undefined> {
  return { OFFPRINT_DASHBOARD_DIR: DASHBOARD, OFFPRINT_DOCS_DIR: DOCS, ...process.env };
}

/** Whether errors are printed with their stack trace. */
export function isDebug(): boolean {
  return !['', '0', 'false', undefined].includes(process.env.OFFPRINT_DEBUG);
}

/** Whether to use colors and progress bars on a terminal. */
export function wantsColor(): boolean {
  return process.env.NO_COLOR === undefined && process.env.TERM !== 'dumb';
}
