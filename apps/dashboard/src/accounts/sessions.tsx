import type { UserSession } from '@offprint/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { accountApi } from '../api.ts';
import { Badge, Button, ConfirmDialog, Loaded, Section, Table, Time, toast } from '../ui/index.ts';
import { describeBrowser } from './browser-name.ts';

/** Where the account is signed in, with the way to end each. */
export function Sessions() {
  const client = useQueryClient();
  const [ending, setEnding] = useState<UserSession | null>(null);
  const sessions = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => accountApi.listUserSessions({ signal }),
  });
  const end = useMutation({
    mutationFn: (id: string) => accountApi.endUserSession(id),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['sessions'] });
      setEnding(null);
      toast('Session ended');
    },
  });
  return (
    <Section
      title="Sessions"
      description="Where you are signed in. End any session that you do not recognize."
    >
      <Loaded query={sessions} fault="The sessions did not load">
        {({ data }) => (
          <Table
            label="Sessions"
            rows={data}
            rowKey={({ id }) => id}
            columns={[
              {
                head: 'Browser',
                width: '36%',
                cell: ({ userAgent, current }) => (
                  <span className="flex flex-wrap items-center gap-2 font-medium">
                    {describeBrowser(userAgent)}
                    {current && <Badge tone="success">this session</Badge>}
                  </span>
                ),
              },
              { head: 'IP address', cell: ({ address }) => address ?? 'unknown' },
              { head: 'Signed in', cell: ({ createdAt }) => <Time at={createdAt} /> },
              { head: 'Last seen', cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
              {
                head: '(Actions)',
                align: 'end',
                cell: (session) =>
                  !session.current && (
                    <Button look="quiet" size="small" onClick={() => setEnding(session)}>
                      End
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      <ConfirmDialog
        open={ending !== null}
        onClose={() => setEnding(null)}
        title="End this session?"
        action="End session"
        busy={end.isPending}
        error={end.error}
        onConfirm={() => ending !== null && end.mutate(ending.id)}
      >
        <p>
          {describeBrowser(ending?.userAgent ?? null)} at {ending?.address ?? 'an unknown IP address'} is
          signed out immediately. If it was not you, also change your password.
        </p>
      </ConfirmDialog>
    </Section>
  );
}
