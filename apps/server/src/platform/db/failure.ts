import { outageOf } from '../outage.ts';

/** Whether the database cannot be reached or refuses its user: SQLSTATE 28 is the password, 3D000 an unknown name. */
export function isDatabaseFailure(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return (
    /^(?:28...|3D000|42501|ENOTFOUND|EAI_AGAIN)$/.test(code) ||
    outageOf(error)?.code === 'database_unavailable'
  );
}

/** Why a database cannot be used, with the way out. */
export function databaseFailure(error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  const reason = first instanceof Error && first.message !== '' ? first.message : String(first);
  const code = first instanceof Error && 'code' in first ? String(first.code) : '';
  // A server that stops, starts or recovers: SQLSTATE 57P.
  const wayOut = code.startsWith('57P') ? 'Try again later.' : 'Check the URL in DATABASE_URL.';
  return `Cannot use the database: ${reason}. ${wayOut}`;
}
