import { counted } from '@offprint/contract/counted';
import type { Plan, Role } from '@offprint/server/admin';
import { ownCommand } from '../config.ts';
import { createTalk, printable, printJson } from '../output.ts';
import { confirm, formatTime, onInstallation, printTable } from './run.ts';

export interface JsonOption {
  json?: boolean;
}

export type ListOptions = JsonOption & { search?: string; limit: number };

export async function listOrganizations({ search, limit, json }: ListOptions): Promise<void> {
  const organizations = await onInstallation((admin) => admin.listOrganizations({ search, limit }));
  if (json) return printJson(organizations);
  printTable(
    ['id', 'name', 'plan', 'members', 'projects', 'created'],
    organizations.map(({ id, name, plan, members, projects, createdAt }) => [
      id,
      name,
      plan,
      String(members),
      String(projects),
      formatTime(createdAt),
    ]),
  );
}

export async function createOrganization(
  name: string,
  options: JsonOption & { plan?: Plan; admin?: string },
): Promise<void> {
  const { plan, admin: email, json } = options;
  const made = await onInstallation((admin) =>
    admin.createOrganization({
      name,
      ...(plan === undefined ? {} : { plan }),
      ...(email === undefined ? {} : { admin: email }),
    }),
  );
  if (json) return printJson(made);
  process.stdout.write(`${made.id}\n`);
  const talk = createTalk({ quiet: false });
  talk.say(`Created ${printable(made.name)} with the ${made.plan} plan.`);
  if (made.members === 0)
    talk.say(`It has no members. Add one: ${ownCommand(`admin member add ${made.id} <email> --role admin`)}`);
}

export async function setPlan(organization: string, plan: Plan, { json }: JsonOption): Promise<void> {
  const changed = await onInstallation((admin) => admin.setPlan(organization, plan));
  if (json) return printJson(changed);
  createTalk({ quiet: false }).say(`${printable(changed.name)} now has the ${changed.plan} plan.`);
}

export async function deleteOrganization(
  organization: string,
  { yes, json }: JsonOption & { yes?: boolean },
): Promise<void> {
  const deleted = await onInstallation(async (admin) => {
    const found = await admin.readOrganization(organization);
    if (!yes) {
      await confirm(
        `This permanently deletes ${found.name} (${found.id}) with ${counted(found.projects, 'project')}, all exports and agent jobs, its keys and ${counted(found.members, 'membership')}.`,
        found.name,
      );
    }
    return admin.deleteOrganization(found.id);
  });
  if (json) return printJson(deleted);
  createTalk({ quiet: false }).say(`Deleted ${printable(deleted.name)} (${deleted.id}).`);
}

export async function addMember(
  organization: string,
  email: string,
  { role, json }: JsonOption & { role: Role },
): Promise<void> {
  const member = await onInstallation((admin) => admin.addMember(organization, email, role));
  if (json) return printJson(member);
  createTalk({ quiet: false }).say(
    `${member.email} now has the role ${member.role} in ${printable(organization)}.`,
  );
}

export async function removeMember(organization: string, email: string): Promise<void> {
  await onInstallation((admin) => admin.removeMember(organization, email));
  createTalk({ quiet: false }).say(`Removed ${printable(email)} from ${printable(organization)}.`);
}

export async function changeRole(
  organization: string,
  email: string,
  role: Role,
  { json }: JsonOption,
): Promise<void> {
  const member = await onInstallation((admin) => admin.changeRole(organization, email, role));
  if (json) return printJson(member);
  createTalk({ quiet: false }).say(
    `${member.email} now has the role ${member.role} in ${printable(organization)}.`,
  );
}
