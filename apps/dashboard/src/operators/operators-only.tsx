import type { ReactNode } from 'react';
import { useSession } from '../session.tsx';
import { Notice } from '../ui/index.ts';

/** Shows its children to operators, and the reason for hiding them to other users. */
export function OperatorsOnly({ children }: { children: ReactNode }) {
  const { user } = useSession();
  if (user.isOperator) return children;
  return (
    <Notice title="Only operators of the installation can see this page">
      An operator can grant you this right on the Users page.
    </Notice>
  );
}
