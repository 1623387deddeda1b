import { ApiError } from '@offprint/client';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { accountApi } from '../api.ts';
import { forget } from '../queries.ts';
import { Button, ButtonLink, Form } from '../ui/index.ts';
import { useLinkToken } from './arrival.ts';
import { Entrance } from './entrance.tsx';
import { NewPassword } from './new-password.tsx';

export function Page() {
  const token = useLinkToken();
  const reset = useMutation({
    mutationFn: (password: string) => accountApi.resetPassword({ token, password }),
    // Every session of the account has ended with it.
    onSuccess: () => forget(),
  });
  const isDead = reset.error instanceof ApiError && reset.error.code === 'token_invalid';
  if (token === '' || isDead) {
    return (
      <Entrance title="Invalid link">
        <p className="text-muted">
          A reset link works once, within one hour, and only the newest one is valid. Request a new link.
        </p>
        <ButtonLink to="/forgot-password" className="mt-5 w-full">
          Request a new link
        </ButtonLink>
      </Entrance>
    );
  }
  if (reset.isSuccess) {
    return (
      <Entrance title="Password changed">
        <p role="status" className="text-muted">
          All your sessions have ended. Sign in with the new password.
        </p>
        <ButtonLink to="/sign-in" className="mt-5 w-full">
          Sign in
        </ButtonLink>
      </Entrance>
    );
  }
  return (
    <Entrance
      title="Set a new password"
      description="This ends all your sessions."
      foot={
        <Link to="/sign-in" className="link">
          Back to sign in
        </Link>
      }
    >
      <Form error={reset.error} onSubmit={(values) => reset.mutate(String(values.get('password')))}>
        <NewPassword label="New password" />
        <Button type="submit" busy={reset.isPending} className="w-full">
          Set password
        </Button>
      </Form>
    </Entrance>
  );
}
