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
              This installation does not send email. Ask an operator for a password reset link. Operators
              create one on the Users page or with <code>offprint admin</code>.
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
        If an account exists for <strong className="break-words">{request.variables}</strong>, an email with a
        link is on its way. The link works once, within one hour. If nothing arrives, check your spam folder.
      </p>
    );
  }
  return (
    <Form error={request.error} onSubmit={(values) => request.mutate(String(values.get('email')))}>
      <Field label="Email" param="/email" help="The reset link is sent to this address.">
        {(control) => (
          <Input {...control} name="email" type="email" required autoComplete="username" autoFocus />
        )}
      </Field>
      <Button type="submit" busy={request.isPending} className="w-full">
        Send reset link
      </Button>
    </Form>
  );
}
