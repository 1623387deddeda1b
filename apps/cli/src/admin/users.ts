import type { ResetLink } from '@offprint/server/admin';
import { createTalk, printable, printJson } from '../output.ts';
import type { JsonOption, ListOptions } from './organizations.ts';
import { formatTime, onInstallation, printTable, readSecretLine } from './run.ts';

export async function listUsers({ search, limit, json }: ListOptions): Promise<void> {
  const users = await onInstallation((admin) => admin.listUsers({ search, limit }));
  if (json) return printJson(users);
  printTable(
    ['id', 'email', 'name', 'state', 'organizations', 'last sign-in'],
    users.map((user) => [
      user.id,
      user.email,
      user.name,
      user.disabledAt !== null ? 'disabled' : user.isOperator ? 'operator' : 'active',
      String(user.organizations),
      formatTime(user.lastSignInAt),
    ]),
  );
}

export interface CreateUserOptions extends JsonOption {
  name?: string;
  operator?: boolean;
  passwordStdin?: boolean;
}

export async function createUser(email: string, options: CreateUserOptions): Promise<void> {
  const password = options.passwordStdin ? await readSecretLine('password') : undefined;
  const { user, resetLink } = await onInstallation((admin) =>
    admin.createUser({
      email,
      name: options.name ?? email.split('@')[0] ?? email,
      isOperator: options.operator === true,
      ...(password === undefined ? {} : { password }),
    }),
  );
  if (options.json) return printJson({ user, resetLink });
  createTalk({ quiet: false }).say(`Created ${user.email}${user.isOperator ? ', an operator' : ''}.`);
  if (resetLink !== null) showLink(user.email, resetLink);
}

export async function resetPassword(email: string, { json }: JsonOption): Promise<void> {
  const link = await onInstallation((admin) => admin.createResetLink(email));
  if (json) return printJson(link);
  showLink(email, link);
}

/** Prints only the link to standard output, so that it can be piped. */
function showLink(email: string, { url, expiresAt }: ResetLink): void {
  createTalk({ quiet: false }).say(
    `With this link, ${printable(email)} can set a password once, until ${formatTime(expiresAt)} UTC:`,
  );
  process.stdout.write(`${url}\n`);
}

export async function setDisabled(email: string, disabled: boolean, { json }: JsonOption): Promise<void> {
  const user = await onInstallation((admin) => admin.setDisabled(email, disabled));
  if (json) return printJson(user);
  createTalk({ quiet: false }).say(
    disabled ? `${user.email} is disabled and signed out everywhere.` : `${user.email} can sign in again.`,
  );
}

export async function setOperator(email: string, isOperator: boolean, { json }: JsonOption): Promise<void> {
  const user = await onInstallation((admin) => admin.setOperator(email, isOperator));
  if (json) return printJson(user);
  createTalk({ quiet: false }).say(
    isOperator ? `${user.email} is now an operator.` : `${user.email} is no longer an operator.`,
  );
}
