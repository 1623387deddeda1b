import type { CreateApiKeyBody } from '@offprint/server/admin';
import { createTalk, printable, printJson } from '../output.ts';
import type { JsonOption } from './organizations.ts';
import { formatTime, onInstallation, printTable } from './run.ts';

export async function listKeys(
  organization: string,
  { limit, json }: JsonOption & { limit: number },
): Promise<void> {
  const keys = await onInstallation((admin) => admin.listKeys(organization, { limit }));
  if (json) return printJson(keys);
  printTable(
    ['id', 'name', 'ends with', 'scopes', 'projects', 'created by', 'expires', 'last used', 'revoked'],
    keys.map((key) => [
      key.id,
      key.name,
      key.last4,
      key.scopes.join(','),
      key.projects?.join(',') ?? 'all',
      key.createdByKey === null ? key.createdBy : `${key.createdBy} (${key.createdByKey})`,
      formatTime(key.expiresAt),
      formatTime(key.lastUsedAt),
      formatTime(key.revokedAt, 'no'),
    ]),
  );
}

export interface CreateKeyOptions extends JsonOption {
  name: string;
  scope?: NonNullable<CreateApiKeyBody['scopes']>;
  project?: string[];
  /** null = never. */
  expiresInDays: NonNullable<CreateApiKeyBody['expiresInDays']> | null;
  allow?: string[];
}

/** Prints only the key to standard output, so that it can be piped into a file or a secret store. */
export async function createKey(organization: string, options: CreateKeyOptions): Promise<void> {
  const key = await onInstallation((admin) =>
    admin.createKey(organization, {
      name: options.name,
      expiresInDays: options.expiresInDays,
      ...(options.scope === undefined ? {} : { scopes: options.scope }),
      ...(options.project === undefined ? {} : { projects: options.project }),
      ...(options.allow === undefined ? {} : { allowedCidrs: options.allow }),
    }),
  );
  if (options.json) return printJson(key);
  createTalk({ quiet: false }).say(
    `Created ${key.id} (${printable(key.name)}) with ${key.scopes.join(', ')}, which expires ${formatTime(key.expiresAt)}. This is the key. It cannot be shown again:`,
  );
  process.stdout.write(`${key.key}\n`);
}

export async function revokeKey(organization: string, keyId: string): Promise<void> {
  await onInstallation((admin) => admin.revokeKey(organization, keyId));
  createTalk({ quiet: false }).say(`Revoked ${printable(keyId)}.`);
}
