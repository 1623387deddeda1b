import type { Session, SignInBody } from '@offprint/contract';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { LogIn } from 'lucide-react';
import { accountApi } from '../api.ts';
import { Button, Field, Form, Input, PasswordInput } from '../ui/index.ts';
import { formatWait, useLockOut } from './lock-out.ts';

interface SignInFormProps {
  onSignedIn: (session: Session) => void;
  /** The address, where only one will do. */
  email?: string;
  action?: string;
}

/** Sign-in with email and password. */
export function SignInForm({ onSignedIn, email, action = 'Sign in' }: SignInFormProps) {
  const signIn = useMutation({
    mutationFn: (body: SignInBody) => accountApi.signIn(body),
    onSuccess: onSignedIn,
  });
  const wait = useLockOut(signIn.error);
  return (
    <Form
      error={signIn.error}
      onSubmit={(values) => {
        if (wait > 0) return;
        signIn.mutate({
          email: email ?? String(values.get('email')),
          password: String(values.get('password')),
        });
      }}
    >
      <Field label="Email" param="/email">
        {(control) => (
          <Input
            {...control}
            name="email"
            type="email"
            required
            autoComplete="username"
            autoFocus={email === undefined}
            readOnly={email !== undefined}
            defaultValue={email}
          />
        )}
      </Field>
      <Field
        label="Password"
        param="/password"
        aside={
          <Link to="/forgot-password" className="link">
            Forgot password?
          </Link>
        }
      >
        {(control) => (
          <PasswordInput
            {...control}
            name="password"
            required
            autoComplete="current-password"
            autoFocus={email !== undefined}
          />
        )}
      </Field>
      <Button
        type="submit"
        busy={signIn.isPending}
        reason={wait > 0 ? `Too many attempts. Try again in ${formatWait(wait)}.` : null}
        className="w-full"
      >
        {wait > 0 ? `Try again in ${formatWait(wait)}` : action}
      </Button>
    </Form>
  );
}

/** The way over the provider. `before` runs as the page is left. */
export function SingleSignOn({
  name,
  returnTo,
  before,
}: {
  name: string;
  returnTo: string;
  before?: () => void;
}) {
  const query = returnTo === '/' ? '' : `?${new URLSearchParams({ returnTo })}`;
  return (
    <a
      href={`/v1/single-sign-on${query}`}
      onClick={before}
      className="flex min-h-10 w-full items-center justify-center gap-2 rounded-control border border-border-strong px-4 font-medium text-sm transition-colors hover:bg-hover"
    >
      <LogIn aria-hidden="true" className="size-4 text-muted" />
      Sign in with {name}
    </a>
  );
}

export function Or() {
  return (
    <p className="flex items-center gap-3 text-muted text-sm before:h-px before:flex-1 before:bg-border after:h-px after:flex-1 after:bg-border">
      or
    </p>
  );
}
