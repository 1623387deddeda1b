import { ApiError } from '@offprint/client';
import type { InvitationPreview } from '@offprint/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { accountApi } from '../api.ts';
import { isSignedOut, PUBLIC, queries } from '../queries.ts';
import { sessionQuery, useSignOut } from '../session.tsx';
import { Button, ButtonLink, Fault, Loaded, Skeleton } from '../ui/index.ts';
import { keepLinkToken, useLinkToken, useSignInOptions } from './arrival.ts';
import { Entrance } from './entrance.tsx';
import { Or, SignInForm, SingleSignOn } from './sign-in-form.tsx';
import { SignUpForm } from './sign-up-form.tsx';

export function Page() {
  const token = useLinkToken();
  const preview = useQuery({
    queryKey: [PUBLIC, 'invitation', token],
    queryFn: ({ signal }) => accountApi.previewInvitation(token, { signal }),
    enabled: token !== '',
    staleTime: Number.POSITIVE_INFINITY,
  });
  const session = useQuery({
    queryKey: ['session-or-none'],
    // Nobody is signed in: a valid result, not an error.
    queryFn: ({ signal }) =>
      accountApi.getSession({ signal }).catch((error: unknown) => {
        if (isSignedOut(error)) return null;
        throw error;
      }),
  });
  const isDead = preview.error instanceof ApiError && preview.error.code === 'token_invalid';
  if (token === '' || isDead) {
    return (
      <Entrance title="Invalid invitation">
        <p className="text-muted">
          An invitation works once, within 7 days, and only the newest one for an email address is valid. Ask
          for a new invitation. If you have already accepted it, sign in.
        </p>
        <ButtonLink to="/" look="quiet" className="mt-5 w-full">
          Sign in
        </ButtonLink>
      </Entrance>
    );
  }
  const fault = preview.error ?? session.error;
  if (fault !== null) {
    return (
      <Entrance title="Invitation">
        <Fault error={fault} retry={() => void Promise.all([preview.refetch(), session.refetch()])} />
      </Entrance>
    );
  }
  if (preview.data === undefined || session.data === undefined) {
    return (
      <Entrance title="Invitation">
        <Skeleton shape="line" count={4} />
      </Entrance>
    );
  }
  return <Invitation token={token} preview={preview.data} signedInAs={session.data?.user.email ?? null} />;
}

interface InvitationProps {
  token: string;
  preview: InvitationPreview;
  /** Address of who is signed in. */
  signedInAs: string | null;
}

function Invitation({ token, preview, signedInAs }: InvitationProps) {
  const { organizationName, email, role, hasAccount } = preview;
  const router = useRouter();
  const signOut = useSignOut();
  const options = useSignInOptions();
  const accept = useMutation({
    mutationFn: () => accountApi.acceptInvitation(token),
    onSuccess: async (organization) => {
      await queries.fetchQuery({ ...sessionQuery, staleTime: 0 });
      await router.navigate({ to: '/$organizationId', params: { organizationId: organization.id } });
    },
  });
  const description = (
    <>
      <strong className="text-text">{email}</strong> is invited with the role {role}.
    </>
  );
  const title = `Join ${organizationName}`;
  if (signedInAs === email) {
    return (
      <Entrance title={title} description={description}>
        {accept.error !== null && (
          <div className="mb-4">
            <Fault error={accept.error} />
          </div>
        )}
        <Button busy={accept.isPending} onClick={() => accept.mutate()} className="w-full">
          Accept invitation
        </Button>
      </Entrance>
    );
  }
  if (signedInAs !== null) {
    return (
      <Entrance title={title} description={description}>
        <p>
          You are signed in as <strong className="break-words">{signedInAs}</strong>. Sign out, then open the
          link again.
        </p>
        <Button
          look="quiet"
          busy={signOut.isPending}
          onClick={() => signOut.mutate()}
          className="mt-5 w-full"
        >
          Sign out
        </Button>
      </Entrance>
    );
  }
  return (
    <Entrance title={title} description={description}>
      <Loaded query={options} fault="The page did not load" skeleton={<Skeleton shape="line" count={6} />}>
        {({ passwords, singleSignOn }) => (
          <div className="space-y-5">
            {singleSignOn !== null && (
              <SingleSignOn
                name={singleSignOn.name}
                returnTo="/invitation"
                before={() => keepLinkToken(token)}
              />
            )}
            {singleSignOn !== null && passwords && <Or />}
            {passwords &&
              (hasAccount ? (
                <SignInForm email={email} action="Sign in and accept" onSignedIn={() => accept.mutate()} />
              ) : (
                <SignUpForm invitation={{ token, email }} />
              ))}
            {accept.error !== null && <Fault error={accept.error} />}
          </div>
        )}
      </Loaded>
    </Entrance>
  );
}
