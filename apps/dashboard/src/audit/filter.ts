import type { AuditFilter, AuditOutcome } from '@offprint/contract';

/** The filters as the address holds them. Days are those of the person who looks, `YYYY-MM-DD`. */
export interface AuditSearch {
  actor?: string;
  action?: string;
  outcome?: AuditOutcome;
  from?: string;
  /** The last day that is shown. */
  to?: string;
}

const OUTCOMES: readonly string[] = ['done', 'refused', 'failed'] satisfies AuditOutcome[];
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The filters of an address that anybody may have written: what is none is left out. */
export function readAuditSearch(search: Readonly<Record<string, unknown>>): AuditSearch {
  const found: AuditSearch = {};
  const actor = textOf(search.actor, 254);
  if (actor !== null) found.actor = actor;
  const action = textOf(search.action, 100);
  if (action !== null) found.action = action;
  if (OUTCOMES.includes(String(search.outcome))) found.outcome = search.outcome as AuditOutcome;
  if (isDay(search.from)) found.from = search.from;
  if (isDay(search.to)) found.to = search.to;
  return found;
}

/** The query that asks for them: from the first moment of the first day to that after the last day. */
export function auditFilterOf({ actor, action, outcome, from, to }: AuditSearch): AuditFilter {
  return {
    ...(actor === undefined ? {} : { actor }),
    ...(action === undefined ? {} : { action }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(from === undefined ? {} : { from: startOfDay(from, 0) }),
    ...(to === undefined ? {} : { to: startOfDay(to, 1) }),
  };
}

/** The start of a local day, `later` days after `day`, RFC 3339. Days of a clock change have 23 or 25 hours. */
function startOfDay(day: string, later: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + later).toISOString();
}

function isDay(value: unknown): value is string {
  return typeof value === 'string' && DAY.test(value) && !Number.isNaN(Date.parse(`${value}T00:00:00Z`));
}

function textOf(value: unknown, most: number): string | null {
  // A router reads `?actor=42` as a number.
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  return text === '' || text.length > most ? null : text;
}
