import type { ReactNode } from 'react';
import { useSession } from '../session.tsx';
import { Notice } from '../ui/index.ts';

/** Its content for operators; for others, why there is none. */
export function OperatorsOnly({ children }: { children: ReactNode }) {
  const { user } = useSession();
  if (user.isOperator) return children;
  return (
    <Notice title="This page is for operators of the installation">
      An operator can make you one on the page of users.
    </Notice>
  );
}
