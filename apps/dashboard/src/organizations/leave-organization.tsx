import { useMutation } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { accountApi } from '../api.ts';
import { queries } from '../queries.ts';
import { sessionQuery, useOrganization } from '../session.tsx';
import { Button, ConfirmDialog, toast } from '../ui/index.ts';

/** The way out of the organization of the address. */
export function LeaveOrganization() {
  const organization = useOrganization();
  const router = useRouter();
  const [asking, setAsking] = useState(false);
  const leave = useMutation({
    mutationFn: () => accountApi.leaveOrganization(organization.id),
    onSuccess: async () => {
      const session = await accountApi.getSession();
      // The pages of the organization are left before they learn that they may not be seen.
      const next = session.organizations[0];
      await router.navigate(
        next === undefined
          ? { to: '/new-organization' }
          : { to: '/$organizationId', params: { organizationId: next.id } },
      );
      queries.setQueryData(sessionQuery.queryKey, session);
      queries.removeQueries({ queryKey: [organization.id] });
      toast(`You left ${organization.name}`);
    },
  });
  return (
    <>
      <Button look="quiet" onClick={() => setAsking(true)}>
        Leave organization
      </Button>
      <ConfirmDialog
        open={asking}
        onClose={() => {
          setAsking(false);
          leave.reset();
        }}
        title={`Leave ${organization.name}?`}
        action="Leave organization"
        busy={leave.isPending}
        error={leave.error}
        onConfirm={() => leave.mutate()}
      >
        <p>You lose access immediately. To rejoin, you need a new invitation from an admin.</p>
      </ConfirmDialog>
    </>
  );
}
