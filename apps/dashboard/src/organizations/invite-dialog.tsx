import type { CreatedInvitation, Role } from '@offprint/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../api.ts';
import { useOrganization } from '../session.tsx';
import {
  Button,
  Dialog,
  Field,
  Form,
  FormActions,
  Input,
  RadioCards,
  SecretOnce,
  Time,
} from '../ui/index.ts';
import { ROLE_CARDS } from './plan-cards.ts';

/** Invites somebody by address, and shows the link this once. */
export function InviteDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const api = useApi();
  const organization = useOrganization();
  const client = useQueryClient();
  const invite = useMutation({
    mutationFn: (body: { email: string; role: Role }) => api.createInvitation(body),
    onSuccess: () => client.invalidateQueries({ queryKey: [organization.id, 'invitations'] }),
  });
  const close = () => {
    invite.reset();
    onClose();
  };
  if (invite.data !== undefined) {
    return (
      <Dialog open={open} onClose={close} title={`${invite.data.email} is invited`} dismissible={false}>
        <InvitationLink invitation={invite.data} onSaved={close} />
      </Dialog>
    );
  }
  return (
    <Dialog
      open={open}
      onClose={close}
      title="Invite a member"
      description={`They join ${organization.name} with a link that works once, within 7 days.`}
    >
      <Form
        error={invite.error}
        onSubmit={(values) =>
          invite.mutate({ email: String(values.get('email')), role: values.get('role') as Role })
        }
      >
        <Field label="Email" param="/email" help="The link works only for this email address.">
          {(control) => <Input {...control} name="email" type="email" required autoComplete="off" />}
        </Field>
        <RadioCards label="Role" name="role" options={ROLE_CARDS} defaultValue="editor" columns={1} />
        <FormActions>
          <Button look="quiet" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" busy={invite.isPending}>
            Invite
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}

function InvitationLink({ invitation, onSaved }: { invitation: CreatedInvitation; onSaved: () => void }) {
  return (
    <SecretOnce value={invitation.url} name="link" onSaved={onSaved}>
      <p>
        {invitation.mailed
          ? 'The link was also sent by email.'
          : 'This installation does not send email. Send the link yourself.'}{' '}
        It expires <Time at={invitation.expiresAt} />.
      </p>
    </SecretOnce>
  );
}
