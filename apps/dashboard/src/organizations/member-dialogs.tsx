import type { Member, Role } from '@offprint/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../api.ts';
import { sessionQuery, useOrganization } from '../session.tsx';
import { Button, ConfirmDialog, Dialog, Form, FormActions, RadioCards, toast } from '../ui/index.ts';
import { ROLE_CARDS } from './plan-cards.ts';

interface MemberDialogProps {
  /** Whom it is about; null: closed. */
  member: Member | null;
  onClose: () => void;
}

export function RoleDialog({ member, onClose }: MemberDialogProps) {
  return (
    <Dialog open={member !== null} onClose={onClose} title={`Role of ${member?.name}`}>
      {member !== null && <RoleForm member={member} onClose={onClose} />}
    </Dialog>
  );
}

function RoleForm({ member, onClose }: { member: Member; onClose: () => void }) {
  const api = useApi();
  const organization = useOrganization();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (role: Role) => api.updateMember(member.userId, { role }),
    onSuccess: async ({ name, role }) => {
      await Promise.all([
        client.invalidateQueries({ queryKey: [organization.id, 'members'] }),
        client.invalidateQueries({ queryKey: sessionQuery.queryKey }),
      ]);
      onClose();
      toast(`${name} now has the role ${role}`);
    },
  });
  return (
    <Form error={change.error} onSubmit={(values) => change.mutate(values.get('role') as Role)}>
      <RadioCards label="Role" name="role" options={ROLE_CARDS} defaultValue={member.role} columns={1} />
      <FormActions>
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" busy={change.isPending}>
          Change role
        </Button>
      </FormActions>
    </Form>
  );
}

export function RemoveDialog({ member, onClose }: MemberDialogProps) {
  const api = useApi();
  const organization = useOrganization();
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: (userId: string) => api.removeMember(userId),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [organization.id, 'members'] });
      close();
      toast('Member removed');
    },
  });
  const close = () => {
    remove.reset();
    onClose();
  };
  return (
    <ConfirmDialog
      open={member !== null}
      onClose={close}
      title={`Remove ${member?.name}?`}
      action="Remove member"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => member !== null && remove.mutate(member.userId)}
    >
      <p>
        {member?.email} loses access to {organization.name} immediately. Everything that they created remains.
      </p>
      <p>
        API keys that they created keep working. If they may still know a key, revoke it on the API keys page.
      </p>
    </ConfirmDialog>
  );
}
