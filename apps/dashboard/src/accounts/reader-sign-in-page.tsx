import { ApiError } from '@offprint/client';
import { useMutation } from '@tanstack/react-query';
import { accountApi } from '../api.ts';
import { Button, Fault, Notice, PageHeader, useSearchParam } from '../ui/index.ts';

/** A site has sent a reader who is to be known as a member of its organization. */
export function Page() {
  const [request] = useSearchParam('request', '');
  const back = useMutation({
    mutationFn: () => accountApi.createReaderCode(request),
    onSuccess: ({ url }) => location.assign(url),
  });
  const isNotMember = back.error instanceof ApiError && back.error.code === 'not_found';
  return (
    <>
      <PageHeader title="Sign in to a site" />
      <div className="max-w-140 space-y-4">
        {isNotMember ? (
          <Notice title="You cannot read this site">
            Only members of the organization of the site can read it. Ask an admin of the organization for an
            invitation, or sign in with another account.
          </Notice>
        ) : (
          back.error !== null && <Fault error={back.error} title="You were not signed in to the site" />
        )}
        <p>The site learns your email address and that you are a member of its organization.</p>
        <Button
          reason={request === '' ? 'Open the site first.' : null}
          busy={back.isPending || back.isSuccess}
          onClick={() => back.mutate()}
        >
          Continue to the site
        </Button>
      </div>
    </>
  );
}
