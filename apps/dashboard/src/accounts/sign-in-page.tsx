import type { SignInOptions, SingleSignOnFault } from '@offprint/contract';
import { Link, useSearch } from '@tanstack/react-router';
import { Loaded, Skeleton } from '../ui/index.ts';
import { useEnter, useReturnTo, useSignInOptions } from './arrival.ts';
import { Entrance } from './entrance.tsx';
import { Or, SignInForm, SingleSignOn } from './sign-in-form.tsx';

/** The errors that single sign-on reports in the query of the URL. */
const REASONS: Record<SingleSignOnFault, string> = {
  provider_refused: 'The identity provider refused the sign-in. Try again, or contact its administrator.',
  provider_failed:
    'The identity provider returned an invalid response. Try again. If the problem persists, contact an operator.',
  provider_unreachable: 'The identity provider did not respond. Try again in a moment.',
  state_invalid: 'The sign-in took too long or was started in another browser. Start again.',
  email_unverified:
    'The identity provider has not verified your email address. Verify it there, then try again.',
  sign_up_closed: 'You do not have an account here. Ask an admin of your organization for an invitation.',
  account_disabled: 'This account is disabled. Contact an operator of this installation.',
};

export function Page() {
  const options = useSignInOptions();
  return (
    <Entrance title="Sign in" foot={options.data?.signUp === 'open' && <SignUpLink />}>
      <Loaded
        query={options}
        fault="The sign-in page did not load"
        skeleton={<Skeleton shape="line" count={6} />}
      >
        {(offered) => <SignIn options={offered} />}
      </Loaded>
    </Entrance>
  );
}

function SignIn({ options }: { options: SignInOptions }) {
  const enter = useEnter();
  const returnTo = useReturnTo();
  const { error } = useSearch({ strict: false }) as { error?: string };
  const reason =
    error === undefined
      ? null
      : (REASONS[error as SingleSignOnFault] ?? 'Single sign-on failed. Try again, or contact an operator.');
  return (
    <div className="space-y-5">
      {reason !== null && (
        <p role="alert" className="rounded-card border border-danger/40 bg-danger-soft p-3 text-sm">
          {reason}
        </p>
      )}
      {options.singleSignOn !== null && <SingleSignOn name={options.singleSignOn.name} returnTo={returnTo} />}
      {options.singleSignOn !== null && options.passwords && <Or />}
      {options.passwords && <SignInForm onSignedIn={enter} />}
      {!options.passwords && (
        // Operators need a way in when the provider is away.
        <details className="text-sm" open={options.singleSignOn === null}>
          <summary className="text-muted">Operators sign in with a password</summary>
          <div className="mt-4">
            <SignInForm onSignedIn={enter} />
          </div>
        </details>
      )}
    </div>
  );
}

function SignUpLink() {
  const search = useSearch({ strict: false });
  return (
    <>
      No account yet?{' '}
      <Link to="/sign-up" search={search as never} className="link">
        Sign up
      </Link>
    </>
  );
}
