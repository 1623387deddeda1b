import type { Member } from '@offprint/contract';
import { UserPlus, UsersRound } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganization, useSession } from '../session.tsx';
import {
  Badge,
  Button,
  Day,
  Empty,
  Listing,
  Menu,
  MenuItem,
  Notice,
  PageHeader,
  Table,
  Time,
  useCursorList,
  useGate,
  useOpenParam,
} from '../ui/index.ts';
import { Invitations } from './invitations.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { RemoveDialog, RoleDialog } from './member-dialogs.tsx';

type Asking = { about: 'role' | 'removal'; member: Member } | null;

export function Page() {
  const api = useApi();
  const organization = useOrganization();
  const { user } = useSession();
  const reason = useGate({ role: 'admin' });
  const [inviting, setInviting] = useOpenParam('invite');
  const [asking, setAsking] = useState<Asking>(null);
  const members = useCursorList([organization.id, 'members'], (query, signal) =>
    api.listMembers(query, { signal }),
  );
  return (
    <>
      <PageHeader
        title="Members"
        description="The members of this organization and their roles."
        action={
          <Button reason={reason} onClick={() => setInviting(true)}>
            <UserPlus aria-hidden="true" className="size-4" />
            Invite
          </Button>
        }
      />
      {reason !== null && (
        <Notice title="Inviting members and changing roles requires the role admin">
          Ask one of the admins listed here.
        </Notice>
      )}
      <Listing
        list={members}
        fault="The members did not load"
        empty={
          <Empty icon={<UsersRound />} title="No members">
            API keys of the organization work without members.
          </Empty>
        }
      >
        {(items) => (
          <Table
            label="Members"
            rows={items}
            rowKey={({ userId }) => userId}
            columns={[
              {
                head: 'Name',
                width: '44%',
                cell: ({ name, email, userId }) => (
                  <span className="min-w-0">
                    <span className="flex flex-wrap items-center gap-2 font-medium">
                      {name}
                      {userId === user.id && <Badge>you</Badge>}
                    </span>
                    <span className="block break-words text-muted">{email}</span>
                  </span>
                ),
              },
              { head: 'Role', width: '110px', cell: ({ role }) => role },
              { head: 'Joined', cell: ({ joinedAt }) => <Day at={joinedAt} /> },
              {
                head: 'Last seen',
                cell: ({ lastSeenAt }) => (lastSeenAt === null ? 'never' : <Time at={lastSeenAt} />),
              },
              {
                head: '(Actions)',
                align: 'end',
                width: '64px',
                cell: (member) =>
                  reason === null && (
                    <Menu label={`Actions for ${member.name}`}>
                      <MenuItem onSelect={() => setAsking({ about: 'role', member })}>Change role</MenuItem>
                      {member.userId !== user.id && (
                        <MenuItem danger onSelect={() => setAsking({ about: 'removal', member })}>
                          Remove member
                        </MenuItem>
                      )}
                    </Menu>
                  ),
              },
            ]}
          />
        )}
      </Listing>
      {reason === null && <Invitations onInvite={() => setInviting(true)} />}
      <InviteDialog open={inviting && reason === null} onClose={() => setInviting(false)} />
      <RoleDialog member={asking?.about === 'role' ? asking.member : null} onClose={() => setAsking(null)} />
      <RemoveDialog
        member={asking?.about === 'removal' ? asking.member : null}
        onClose={() => setAsking(null)}
      />
    </>
  );
}
