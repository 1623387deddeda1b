import { ApiError, ConnectionError } from '@offprint/client';
import { CircleAlert, WifiOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Id } from './copy.tsx';

/** The sentence of an error for people. */
export function messageOf(error: unknown): string {
  if (error instanceof ConnectionError) {
    return 'The server did not respond. Check your connection, then try again.';
  }
  return error instanceof Error ? error.message : String(error);
}

/** The id under which the log of the server holds the reason, to copy. */
export function RequestId({ error }: { error: unknown }) {
  const requestId = error instanceof ApiError ? error.requestId : null;
  if (requestId === null) return null;
  return (
    <p className="mt-1 flex flex-wrap items-center gap-x-1.5 text-muted">
      Request <Id value={requestId} name="request id" />
    </p>
  );
}

const TITLES: Partial<Record<number, string>> = {
  400: 'Invalid request',
  403: 'Access denied',
  404: 'Not found',
  409: 'Not possible in the current state',
  429: 'Too many requests',
};

interface FaultProps {
  error: unknown;
  /** What was being done: "The exports did not load". */
  title?: string;
  retry?: () => void;
  children?: ReactNode;
}

/** What happened, what to do, the id to quote. Takes the place of what did not load. */
export function Fault({ error, title, retry, children }: FaultProps) {
  const status = error instanceof ApiError ? error.status : null;
  const Icon = error instanceof ConnectionError ? WifiOff : CircleAlert;
  const heading = title ?? (status === null ? undefined : TITLES[status]) ?? 'An error occurred';
  return (
    <div role="alert" className="flex gap-3 rounded-card border border-danger/40 bg-danger-soft p-4 text-sm">
      <Icon aria-hidden="true" className="mt-0.5 size-4.5 flex-none text-danger" />
      <div className="min-w-0 flex-1">
        <p className="font-medium">{heading}</p>
        <p className="mt-0.5 break-words">{messageOf(error)}</p>
        <RequestId error={error} />
        {children}
        {retry !== undefined && (
          <Button look="quiet" size="small" className="mt-3" onClick={retry}>
            Try again
          </Button>
        )}
      </div>
    </div>
  );
}
