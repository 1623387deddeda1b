import { BlobStoreError } from './blob/error.ts';
import { ChildError } from './sandbox/child.ts';

/** What the machine or a service of the platform lacks, as users and operators see it. */
export type OutageCode = 'storage_full' | 'storage_unavailable' | 'database_unavailable' | 'renderer_killed';

export interface Outage {
  code: OutageCode;
  /** One sentence, without a path, host or text of a driver. */
  message: string;
}

const MESSAGES: Readonly<Record<OutageCode, string>> = {
  storage_full: 'The disk of the server is full. Ask the operator to free space.',
  storage_unavailable: 'The store of the server is unavailable. Ask the operator to check it.',
  database_unavailable: 'The database of the server is busy or unavailable.',
  renderer_killed:
    'The system of the server killed the render process, usually because it ran out of memory. Ask the operator for more memory, or export fewer pages.',
};

export const outage = (code: OutageCode): Outage => ({ code, message: MESSAGES[code] });

/** PostgreSQL reports its own full disk as 53100. */
const FULL = /^(?:ENOSPC|EDQUOT|53100)$/;
const UNWRITABLE = /^(?:EROFS|EIO|ESTALE|EMFILE|ENFILE)$/;

/**
 * Connections that cannot be made or broke, and PostgreSQL's classes 08, 53 (resources) and 57P (operator), its
 * time limits, deadlocks, serialization failures, and 25006: a primary that has become a replica.
 */
const DATABASE =
  /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|08...|53...|57P..|57014|55P03|40P01|40001|25006)$/;
/** Errors of the driver that have no code. */
const DRIVER =
  /^Connection terminated|timeout exceeded when trying to connect|^Client has encountered a connection error|^Client was closed|^Postgres connection has been discarded|^Query read timeout/;

const MAX_CAUSES = 5;

/** The outage that an error or one of its causes reports; null for every other error, which is a bug or the input. */
export function outageOf(error: unknown): Outage | null {
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth++, cause = cause.cause) {
    const code = codeOf(cause);
    if (code !== null) return outage(code);
  }
  return null;
}

function codeOf(error: Error): OutageCode | null {
  const code = 'code' in error ? String(error.code) : '';
  if (FULL.test(code)) return 'storage_full';
  if (error instanceof BlobStoreError || UNWRITABLE.test(code)) return 'storage_unavailable';
  if (error instanceof ChildError) {
    if (error.fault === 'killed') return 'renderer_killed';
    // The child has no other way to report what the system refused it.
    return /\b(?:ENOSPC|EDQUOT)\b/.test(error.detail) ? 'storage_full' : null;
  }
  const isConnect = 'syscall' in error && error.syscall === 'connect';
  return DATABASE.test(code) || isConnect || DRIVER.test(error.message) ? 'database_unavailable' : null;
}

/** PostgreSQL's classes 08 and 57P: a connection that broke, and a server that stops or starts. Errors of the system are marked (`openDatabase`). */
const RESTART = /^(?:08...|57P..)$/;

/** Whether the database restarted or was away meanwhile. False if the error could be one of another service. */
export function isDatabaseRestart(error: unknown): boolean {
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth++, cause = cause.cause) {
    const code = 'code' in cause ? String(cause.code) : '';
    if (RESTART.test(code) || DRIVER.test(cause.message) || 'isDatabase' in cause) return true;
  }
  return false;
}

/**
 * As `outageOf`, for work that connects to other services as well: a connection that cannot be made says nothing about
 * the database there.
 */
export function outageOfWork(error: unknown): Outage | null {
  const found = outageOf(error);
  return found?.code === 'database_unavailable' ? null : found;
}
