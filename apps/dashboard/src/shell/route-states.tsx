import { Link } from '@tanstack/react-router';
import { Skeleton } from '../ui/empty.tsx';
import { Fault } from '../ui/fault.tsx';
import { PageHeader } from '../ui/page.tsx';

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
    <main className="mx-auto w-full max-w-270 px-4 py-10 md:px-10">
      <PageHeader
        title="There is no such page"
        description="The address is wrong, or it belongs to an organization that you are no member of. If you have more than one account, the other one may see it."
      />
      <Link to="/" className="link">
        Go to your organization
      </Link>
    </main>
  );
}

/** Instead of a page that cannot be shown. */
export function RouteFault({ error, reset }: { error: unknown; reset: () => void }) {
  return (
    <main className="mx-auto w-full max-w-270 px-4 py-10 md:px-10">
      <PageHeader title="This page did not load" />
      <Fault
        error={error}
        retry={() => {
          // A page whose files were replaced by an update is only there after a fresh start.
          if (isMissingFile(error)) location.reload();
          else reset();
        }}
      />
    </main>
  );
}

function isMissingFile(error: unknown): boolean {
  return error instanceof TypeError && /import|module/i.test(error.message);
}
