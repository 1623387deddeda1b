import { ApiError } from '@offprint/client';
import type { ChangePasswordBody } from '@offprint/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { accountApi } from '../api.ts';
import { sessionQuery, useSession } from '../session.tsx';
import {
  Button,
  Card,
  Facts,
  Field,
  Form,
  FormActions,
  Id,
  Input,
  PageHeader,
  PasswordInput,
  RadioCards,
  Section,
  toast,
  useTheme,
} from '../ui/index.ts';
import { NewPassword } from './new-password.tsx';
import { Sessions } from './sessions.tsx';

export function Page() {
  const { user } = useSession();
  return (
    <>
      <PageHeader title="Your account" description="Your account is the same in every organization." />
      <Section title="Profile">
        <Card className="mb-4">
          <NameForm name={user.name} />
        </Card>
        <Facts
          facts={[
            ['Email', user.email],
            ['User id', <Id key="id" value={user.id} name="user id" />],
            [
              'Access',
              user.isOperator
                ? 'Operator of this installation'
                : 'According to your role in each organization',
            ],
          ]}
        />
      </Section>
      <Section title="Theme" description="Stored in this browser.">
        <ThemeChoice />
      </Section>
      <Section
        title="Password"
        description={
          user.hasPassword
            ? 'Changing the password ends all other sessions.'
            : 'You sign in with single sign-on and do not have a password here.'
        }
      >
        {user.hasPassword && (
          <Card>
            <PasswordForm email={user.email} />
          </Card>
        )}
      </Section>
      <Sessions />
    </>
  );
}

function NameForm({ name }: { name: string }) {
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (next: string) => accountApi.updateUser({ name: next }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      toast('Name saved');
    },
  });
  return (
    <Form error={save.error} onSubmit={(values) => save.mutate(String(values.get('name')))}>
      <Field label="Name" param="/name" help="Visible to members of your organizations.">
        {(control) => (
          <Input {...control} name="name" defaultValue={name} required maxLength={100} autoComplete="name" />
        )}
      </Field>
      <FormActions>
        <Button type="submit" busy={save.isPending}>
          Save name
        </Button>
      </FormActions>
    </Form>
  );
}

function ThemeChoice() {
  const [theme, setTheme] = useTheme();
  return (
    <RadioCards
      label="Theme"
      hideLabel
      name="theme"
      value={theme}
      onChange={setTheme}
      options={[
        { value: 'system', label: 'System', help: 'Follows your device.' },
        { value: 'light', label: 'Light' },
        { value: 'dark', label: 'Dark' },
      ]}
    />
  );
}

function PasswordForm({ email }: { email: string }) {
  const client = useQueryClient();
  const form = useRef<HTMLDivElement>(null);
  const change = useMutation({
    mutationFn: (body: ChangePasswordBody) => accountApi.changePassword(body).catch(atItsField),
    onSuccess: async () => {
      form.current?.querySelector('form')?.reset();
      toast('Password changed');
      await client.invalidateQueries({ queryKey: ['sessions'] });
    },
  });
  return (
    <div ref={form}>
      <Form
        error={change.error}
        onSubmit={(values) =>
          change.mutate({
            currentPassword: String(values.get('currentPassword')),
            newPassword: String(values.get('newPassword')),
          })
        }
      >
        {/* Password keepers want to know whose password it is. */}
        <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
        <Field label="Current password" param="/currentPassword">
          {(control) => (
            <PasswordInput {...control} name="currentPassword" required autoComplete="current-password" />
          )}
        </Field>
        <NewPassword param="/newPassword" label="New password" />
        <FormActions>
          <Button type="submit" busy={change.isPending}>
            Change password
          </Button>
        </FormActions>
      </Form>
    </div>
  );
}

/** The API does not say which field has the wrong password; this form has only one. */
function atItsField(error: unknown): never {
  if (!(error instanceof ApiError) || error.code !== 'credentials_wrong') throw error;
  const { status, code, requestId } = error;
  throw new ApiError('The current password is wrong.', {
    status,
    code,
    requestId,
    param: '/currentPassword',
  });
}
