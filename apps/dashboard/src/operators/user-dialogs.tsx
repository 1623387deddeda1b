import type { OperatedUser } from '@offprint/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { accountApi } from '../api.ts';
import { Button, ConfirmDialog, Dialog, Fault, FormActions, SecretOnce, Time, toast } from '../ui/index.ts';

/** What is about to be changed of a user: one of the two. */
export interface UserChange {
  user: OperatedUser;
  disabled?: boolean;
  isOperator?: boolean;
}

interface Words {
  title: string;
  action: string;
  done: string;
  meaning: string;
  look: 'danger' | 'primary';
}

function wordsFor({ user: { name }, disabled, isOperator }: UserChange): Words {
  if (disabled === true) {
    return {
      title: `Disable ${name}?`,
      action: 'Disable user',
      done: `${name} is disabled`,
      meaning:
        'All their sessions end immediately and they cannot sign in. API keys that they created keep working.',
      look: 'danger',
    };
  }
  if (disabled === false) {
    return {
      title: `Enable ${name}?`,
      action: 'Enable user',
      done: `${name} is enabled`,
      meaning: 'They can sign in again and belong to the same organizations as before.',
      look: 'primary',
    };
  }
  if (isOperator === true) {
    return {
      title: `Make ${name} an operator?`,
      action: 'Make operator',
      done: `${name} is now an operator`,
      meaning:
        'Operators see every organization and user. They can change plans, disable users and create password reset links.',
      look: 'primary',
    };
  }
  return {
    title: `Revoke operator rights of ${name}?`,
    action: 'Revoke operator rights',
    done: `${name} is no longer an operator`,
    meaning: 'They keep their account and their organizations.',
    look: 'danger',
  };
}

export function UserDialog({ change, onClose }: { change: UserChange | null; onClose: () => void }) {
  const client = useQueryClient();
  const update = useMutation({
    mutationFn: ({ user, disabled, isOperator }: UserChange) =>
      accountApi.updateOperatedUser(user.id, {
        ...(disabled === undefined ? {} : { disabled }),
        ...(isOperator === undefined ? {} : { isOperator }),
      }),
    onSuccess: async (_, done) => {
      await client.invalidateQueries({ queryKey: ['operator', 'users'] });
      close();
      toast(wordsFor(done).done);
    },
  });
  const close = () => {
    update.reset();
    onClose();
  };
  if (change === null) return null;
  const words = wordsFor(change);
  return (
    <ConfirmDialog
      open
      onClose={close}
      title={words.title}
      action={words.action}
      look={words.look}
      busy={update.isPending}
      error={update.error}
      onConfirm={() => update.mutate(change)}
    >
      <p>{words.meaning}</p>
    </ConfirmDialog>
  );
}

/** Creates a link that sets a new password, and shows it this one time. */
export function ResetLinkDialog({ user, onClose }: { user: OperatedUser | null; onClose: () => void }) {
  const make = useMutation({ mutationFn: (id: string) => accountApi.createPasswordResetLink(id) });
  const close = () => {
    make.reset();
    onClose();
  };
  if (user === null) return null;
  if (make.data !== undefined) {
    return (
      <Dialog open onClose={close} title={`Password reset link for ${user.name}`} dismissible={false}>
        <SecretOnce value={make.data.url} name="link" onSaved={close}>
          Send it through a channel that only {user.name} can read. It works once and expires{' '}
          <Time at={make.data.expiresAt} />.
        </SecretOnce>
      </Dialog>
    );
  }
  return (
    <Dialog open onClose={close} title={`Create a password reset link for ${user.name}?`}>
      <p className="text-sm">
        Anyone who has the link can set a new password for {user.email}, which ends every session of the
        account. Earlier links stop working.
      </p>
      {make.error !== null && (
        <div className="mt-4">
          <Fault error={make.error} />
        </div>
      )}
      <div className="mt-6">
        <FormActions>
          <Button look="quiet" onClick={close}>
            Cancel
          </Button>
          <Button busy={make.isPending} onClick={() => make.mutate(user.id)}>
            Create link
          </Button>
        </FormActions>
      </div>
    </Dialog>
  );
}
