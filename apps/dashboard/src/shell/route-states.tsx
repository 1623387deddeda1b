import { Link } from '@tanstack/react-router';
import { type ReactNode, use } from 'react';
import { Skeleton } from '../ui/empty.tsx';
import { Fault } from '../ui/fault.tsx';
import { PageHeader } from '../ui/page.tsx';
import { InShell } from './frame.ts';

/** A page that may stand inside or outside the shell: a document has one `main`. */
function Frame({ children }: { children: ReactNode }) {
  if (use(InShell)) return children;
  return <main className="mx-auto w-full max-w-270 px-4 py-10 md:px-10">{children}</main>;
}

/** While a page loads. */
export function PagePending() {
  return (
    <div className="mx-auto w-full max-w-270 px-4 py-6 md:px-10 md:py-10">
      <div className="mb-8 h-8 w-56 animate-pulse rounded-control bg-sunken" />
      <Skeleton />
    </div>
  );
}

export function NotFoundPage() {
  return (
    <Frame>
      <PageHeader
        title="Page not found"
        description="The URL is wrong, or the page belongs to an organization that you are not a member of. If you have another account, sign in with that one."
      />
      <Link to="/" className="link">
        Go to your organization
      </Link>
    </Frame>
  );
}

/** Instead of a page that cannot be shown. */
export function RouteFault({ error, reset }: { error: unknown; reset: () => void }) {
  return (
    <Frame>
      <PageHeader title="This page did not load" />
      <Fault
        error={error}
        retry={() => {
          // A page whose files were replaced by an update is only there after a fresh start.
          if (isMissingFile(error)) location.reload();
          else reset();
        }}
      />
    </Frame>
  );
}

function isMissingFile(error: unknown): boolean {
  return error instanceof TypeError && /import|module/i.test(error.message);
}
