import { includesPlan, includesRole, type Plan, type Role } from '@offprint/contract';
import { Link } from '@tanstack/react-router';
import { useCurrentOrganization, useSession } from '../session.tsx';
import { Notice } from './page.tsx';

interface Needs {
  plan?: Plan;
  role?: Role;
}

/** Why the person may not do it in this organization, for `Button reason`; null: may. */
export function useGate({ plan, role }: Needs): string | null {
  const held = useCurrentOrganization();
  if (held === null) return null;
  if (plan !== undefined && !includesPlan(held.plan, plan)) {
    return `Requires the ${plan} plan. This organization has the ${held.plan} plan.`;
  }
  if (role !== undefined && !includesRole(held.role, role)) {
    return `Requires the role ${role}. Your role is ${held.role}.`;
  }
  return null;
}

/** Says before the click that the plan does not include the feature, and who can change it; else nothing. */
export function PlanGate({ plan, feature }: { plan: Plan; feature: string }) {
  const reason = useGate({ plan });
  const { user } = useSession();
  if (reason === null) return null;
  return (
    <Notice title={`${feature} ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`}>
      {user.isOperator ? (
        <>
          You are an operator of this installation:{' '}
          <Link to="/operator/organizations" className="link">
            change the plan
          </Link>
          .
        </>
      ) : (
        'An operator of this installation can change the plan.'
      )}
    </Notice>
  );
}

/** Says that the person's role does not allow it, and whom to ask; else nothing. `act`: "Creating keys". */
export function RoleGate({ role, act }: { role: Role; act: string }) {
  const reason = useGate({ role });
  const organization = useCurrentOrganization();
  if (reason === null || organization === null) return null;
  return (
    <Notice title={`${act} ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`}>
      Ask an admin of the organization:{' '}
      <Link to="/$organizationId/members" params={{ organizationId: organization.id }} className="link">
        see the members
      </Link>
      .
    </Notice>
  );
}
