import { Link, useSearch } from '@tanstack/react-router';
import { Loaded, Skeleton } from '../ui/index.ts';
import { useSignInOptions } from './arrival.ts';
import { Entrance } from './entrance.tsx';
import { SignUpForm } from './sign-up-form.tsx';

export function Page() {
  const options = useSignInOptions();
  const search = useSearch({ strict: false });
  return (
    <Entrance
      title="Create an account"
      foot={
        <>
          Already have an account?{' '}
          <Link to="/sign-in" search={search as never} className="link">
            Sign in
          </Link>
        </>
      }
    >
      <Loaded query={options} fault="The page did not load" skeleton={<Skeleton shape="line" count={6} />}>
        {({ signUp, passwords }) => {
          if (!passwords) return <p className="text-muted">Accounts are created with single sign-on here.</p>;
          if (signUp === 'open') return <SignUpForm />;
          return (
            <p className="text-muted">
              {signUp === 'invited'
                ? 'You need an invitation to create an account here. Ask an admin of your organization for one, then open the link in it.'
                : 'Sign-up is closed. Contact an operator of this installation.'}
            </p>
          );
        }}
      </Loaded>
    </Entrance>
  );
}
