import type { SignUpBody } from '@offprint/contract';
import { useMutation } from '@tanstack/react-query';
import { accountApi } from '../api.ts';
import { Button, Field, Form, Input } from '../ui/index.ts';
import { useEnter } from './arrival.ts';
import { NewPassword } from './new-password.tsx';

/** Creates an account; with an invitation, for its email address and in its organization. */
export function SignUpForm({ invitation }: { invitation?: { token: string; email: string } }) {
  const enter = useEnter();
  const signUp = useMutation({ mutationFn: (body: SignUpBody) => accountApi.signUp(body), onSuccess: enter });
  return (
    <Form
      error={signUp.error}
      onSubmit={(values) =>
        signUp.mutate({
          email: invitation?.email ?? String(values.get('email')),
          name: String(values.get('name')),
          password: String(values.get('password')),
          ...(invitation === undefined ? {} : { invitation: invitation.token }),
        })
      }
    >
      <Field label="Your name" param="/name">
        {(control) => (
          <Input {...control} name="name" required maxLength={100} autoComplete="name" autoFocus />
        )}
      </Field>
      <Field
        label="Email"
        param="/email"
        help={invitation === undefined ? undefined : 'The invitation is for this address.'}
      >
        {(control) => (
          <Input
            {...control}
            name="email"
            type="email"
            required
            autoComplete="username"
            readOnly={invitation !== undefined}
            defaultValue={invitation?.email}
          />
        )}
      </Field>
      <NewPassword />
      <Button type="submit" busy={signUp.isPending} className="w-full">
        Create account
      </Button>
    </Form>
  );
}
