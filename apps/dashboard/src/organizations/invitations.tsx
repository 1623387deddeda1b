import type { Invitation } from '@offprint/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganization } from '../session.tsx';
import {
  Button,
  ConfirmDialog,
  Empty,
  Listing,
  Section,
  Skeleton,
  Table,
  Time,
  toast,
  useCursorList,
} from '../ui/index.ts';

/** Invitations that wait to be accepted, for admins. */
export function Invitations({ onInvite }: { onInvite: () => void }) {
  const api = useApi();
  const organization = useOrganization();
  const client = useQueryClient();
  const [revoking, setRevoking] = useState<Invitation | null>(null);
  const key = [organization.id, 'invitations'];
  const invitations = useCursorList(key, (query, signal) => api.listInvitations(query, { signal }));
  const revoke = useMutation({
    mutationFn: (id: string) => api.revokeInvitation(id),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: key });
      setRevoking(null);
      toast('Invitation revoked');
    },
  });
  return (
    <div className="mt-10">
      <Section title="Invitations" description="Invitations that are not accepted yet.">
        <Listing
          list={invitations}
          fault="The invitations did not load"
          skeleton={<Skeleton count={2} />}
          empty={
            <Empty
              title="No open invitations"
              action={
                <Button look="quiet" onClick={onInvite}>
                  Invite a member
                </Button>
              }
            >
              An invited person gets a link and joins with the role that you choose.
            </Empty>
          }
        >
          {(items) => (
            <Table
              label="Invitations"
              rows={items}
              rowKey={({ id }) => id}
              columns={[
                {
                  head: 'Email',
                  width: '36%',
                  cell: ({ email }) => <span className="font-medium">{email}</span>,
                },
                { head: 'Role', width: '110px', cell: ({ role }) => role },
                { head: 'Invited by', cell: ({ invitedBy }) => invitedBy },
                { head: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
                {
                  head: '(Actions)',
                  align: 'end',
                  cell: (invitation) => (
                    <Button look="quiet" size="small" onClick={() => setRevoking(invitation)}>
                      Revoke
                    </Button>
                  ),
                },
              ]}
            />
          )}
        </Listing>
      </Section>
      <ConfirmDialog
        open={revoking !== null}
        onClose={() => setRevoking(null)}
        title={`Revoke the invitation for ${revoking?.email}?`}
        action="Revoke invitation"
        busy={revoke.isPending}
        error={revoke.error}
        onConfirm={() => revoking !== null && revoke.mutate(revoking.id)}
      >
        <p>The link stops working. You can invite the same email address again.</p>
      </ConfirmDialog>
    </div>
  );
}
