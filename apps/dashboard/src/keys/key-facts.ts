import {
  type ApiKey,
  scopes as allScopes,
  type Scope,
  type ScopeArea,
  scopeAliases,
  scopeAreas,
} from '@offprint/contract';

const DAY = 86_400_000;

/** What people have to know about a key at a glance. `isUsable`: whether the server takes it. */
export interface KeyState {
  kind: 'active' | 'expiring' | 'expired' | 'revoked';
  label: string;
  isUsable: boolean;
}

/** State of a key. One that expires within 14 days is `expiring`. */
export function keyState(key: Pick<ApiKey, 'revokedAt' | 'expiresAt'>, now: Date): KeyState {
  if (key.revokedAt !== null) return { kind: 'revoked', label: 'revoked', isUsable: false };
  if (key.expiresAt === null) return { kind: 'active', label: 'active', isUsable: true };
  const left = Date.parse(key.expiresAt) - now.getTime();
  if (left <= 0) return { kind: 'expired', label: 'expired', isUsable: false };
  if (left > 14 * DAY) return { kind: 'active', label: 'active', isUsable: true };
  const days = Math.floor(left / DAY);
  const when = days === 0 ? 'within a day' : days === 1 ? 'in 1 day' : `in ${days} days`;
  return { kind: 'expiring', label: `expires ${when}`, isUsable: true };
}

export const EXPIRIES = [7, 30, 60, 90, null] as const;
export type Expiry = (typeof EXPIRIES)[number];

/** Day on which a key made now expires; null: never. */
export function expiryDate(days: Expiry, now: Date): Date | null {
  return days === null ? null : new Date(now.getTime() + days * DAY);
}

/** What a key may do in each area; areas without access are left out. */
export type Access = Partial<Record<ScopeArea, 'read' | 'write'>>;

export function scopesOf(access: Access): Scope[] {
  const wanted = scopeAreas.map((area) =>
    area === 'assistant' && access[area] !== undefined ? 'assistant:use' : `${area}:${access[area]}`,
  );
  return allScopes.filter((scope) => wanted.includes(scope));
}

/** The scopes of a key in words where it has all of a kind; null: list them. */
export function scopeWords(scopes: readonly Scope[]): string | null {
  if (scopeAliases.write.every((scope) => scopes.includes(scope))) return 'Everything';
  const isReader =
    scopes.length === scopeAliases.read.length && scopeAliases.read.every((scope) => scopes.includes(scope));
  return isReader ? 'Read everything' : null;
}

/** The keys that a key created, directly or through others, of those in the list. */
export function createdFrom<Key extends Pick<ApiKey, 'id' | 'createdByKey'>>(
  keys: readonly Key[],
  id: string,
): Key[] {
  const direct = keys.filter((key) => key.createdByKey === id);
  return direct.flatMap((key) => [key, ...createdFrom(keys, key.id)]);
}

/** Address ranges as typed, one a line or with commas between, each with what is wrong with it. */
export interface AllowList {
  ranges: string[];
  /** One sentence for each range that is none. */
  faults: string[];
}

/** Reads an allow-list. A single address becomes the range that holds it alone. */
export function readAllowList(text: string): AllowList {
  const list: AllowList = { ranges: [], faults: [] };
  for (const typed of text.split(/[\s,;]+/).filter((part) => part !== '')) {
    const range = typed.includes('/') ? typed : `${typed}/${typed.includes(':') ? 128 : 32}`;
    const fault = rangeFault(range);
    if (fault !== null) list.faults.push(`${typed} ${fault}`);
    else if (!list.ranges.includes(range)) list.ranges.push(range);
  }
  if (list.ranges.length > 50) list.faults.push(`${list.ranges.length} ranges exceed the limit of 50.`);
  return list;
}

/** What is wrong with an address range, as the API sees it; null: nothing. */
export function rangeFault(range: string): string | null {
  const [address, prefix, ...rest] = range.split('/');
  const isIpv6 = address!.includes(':');
  const host = isIpv6 ? (URL.parse(`http://[${address}]/`)?.hostname ?? null) : ipv4(address!);
  const length = /^\d{1,3}$/.test(prefix ?? '') ? Number(prefix) : Number.NaN;
  if (rest.length > 0 || host === null || !(length <= (isIpv6 ? 128 : 32)))
    return 'is not a valid IP range. Use a form such as 203.0.113.0/24 or 2001:db8::/32.';
  const least = isIpv6 ? 16 : 8;
  if (length < least) return `is too wide. The widest range allowed is /${least}.`;
  return host.startsWith('[::ffff:') ? 'must be written as an IPv4 range.' : null;
}

function ipv4(text: string): string | null {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
    ? text
    : null;
}

/** The two lines of an `.env` file that the command line and the client read. */
export function envLines(url: string, key: string): string {
  return `OFFPRINT_URL=${url}\nOFFPRINT_API_KEY=${key}\n`;
}

/** A request that each area permits. */
const TRIES: Readonly<Record<ScopeArea, string>> = {
  exports: '/v1/static-export/jobs?limit=1',
  projects: '/v1/projects?limit=1',
  organization: '/v1/api-keys?limit=1',
  discovery: '/discovery/v1/records/DOMAIN',
  agent: '/v2/agent/PROJECT_ID/jobs?limit=1',
  assistant: '/v1/projects?limit=1',
  analytics: '/v1/analytics/PROJECT_ID/views?limit=1',
};

/** A request that shows whether a key with these scopes works, for a shell. */
export function tryCommand(url: string, key: string, scopes: readonly Scope[]): string {
  const areas = Object.keys(TRIES) as ScopeArea[];
  const area = areas.find((each) => scopes.some((scope) => scope.startsWith(`${each}:`))) ?? 'exports';
  return `curl -s '${url}${TRIES[area]}' \\\n  -H 'Authorization: Bearer ${key}'`;
}

/** The call that starts an export, for a shell whose environment holds the key. */
export function startExportCommand(url: string, domain: string): string {
  return [
    `curl -s -X POST ${url}/v1/static-export/jobs \\`,
    `  -H "Authorization: Bearer $OFFPRINT_API_KEY" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '{"domain": "${domain}"}'`,
  ].join('\n');
}

/** The call that gives the agent of a project a prompt. */
export function createAgentJobCommand(url: string, projectId: string): string {
  return [
    `curl -s -X POST ${url}/v2/agent/${projectId}/job \\`,
    `  -H "Authorization: Bearer $OFFPRINT_API_KEY" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '{"prompt": "Add a page about webhooks."}'`,
  ].join('\n');
}
