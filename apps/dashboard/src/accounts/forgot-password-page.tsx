import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { accountApi } from '../api.ts';
import { Button, Field, Form, Input, Loaded, Skeleton } from '../ui/index.ts';
import { useSignInOptions } from './arrival.ts';
import { Entrance } from './entrance.tsx';

export function Page() {
  const options = useSignInOptions();
  return (
    <Entrance
      title="Forgot your password?"
      foot={
        <Link to="/sign-in" className="link">
          Back to sign in
        </Link>
      }
    >
      <Loaded query={options} fault="The page did not load" skeleton={<Skeleton shape="line" count={4} />}>
        {({ mail }) =>
          mail ? (
            <ResetForm />
          ) : (
            <p className="text-muted">
              This installation sends no mail. Ask an operator for a link that sets a new password: they make
              one on the page of users, or by <code>offprint admin</code>.
            </p>
          )
        }
      </Loaded>
    </Entrance>
  );
}

function ResetForm() {
  const request = useMutation({
    mutationFn: (email: string) => accountApi.requestPasswordReset({ email }),
  });
  if (request.isSuccess) {
    return (
      <p role="status">
        If there is an account for <strong className="break-words">{request.variables}</strong>, a mail with a
        link is on its way. The link works for an hour, once. Look into the spam folder when nothing comes.
      </p>
    );
  }
  return (
    <Form error={request.error} onSubmit={(values) => request.mutate(String(values.get('email')))}>
      <Field label="E-mail" param="/email" help="A link that sets a new password goes there.">
        {(control) => (
          <Input {...control} name="email" type="email" required autoComplete="username" autoFocus />
        )}
      </Field>
      <Button type="submit" busy={request.isPending} className="w-full">
        Send the link
      </Button>
    </Form>
  );
}
