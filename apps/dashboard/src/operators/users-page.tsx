import type { OperatedUser } from '@offprint/contract';
import { UserRound } from 'lucide-react';
import { useState } from 'react';
import { accountApi } from '../api.ts';
import { useSession } from '../session.tsx';
import {
  Badge,
  Day,
  Empty,
  formatNumber,
  Listing,
  Menu,
  MenuItem,
  PageHeader,
  Status,
  Table,
  Time,
  useCursorList,
} from '../ui/index.ts';
import { OperatorsOnly } from './operators-only.tsx';
import { SearchBox, useSearch } from './search-box.tsx';
import { ResetLinkDialog, type UserChange, UserDialog } from './user-dialogs.tsx';

export function Page() {
  return (
    <>
      <PageHeader title="Users" description="Every account of this installation, newest first." />
      <OperatorsOnly>
        <Users />
      </OperatorsOnly>
    </>
  );
}

function Users() {
  const { user: self } = useSession();
  const [search, setSearch] = useSearch();
  const [change, setChange] = useState<UserChange | null>(null);
  const [resetting, setResetting] = useState<OperatedUser | null>(null);
  const users = useCursorList(['operator', 'users', search], (query, signal) =>
    accountApi.listOperatedUsers({ ...query, ...(search === '' ? {} : { search }) }, { signal }),
  );
  return (
    <>
      <SearchBox label="Search users" value={search} onChange={setSearch} />
      <Listing
        list={users}
        fault="The users did not load"
        empty={
          <Empty icon={<UserRound />} title="No results">
            No name or email address contains “{search}”.
          </Empty>
        }
      >
        {(items) => (
          <Table
            label="Users"
            rows={items}
            rowKey={({ id }) => id}
            columns={[
              {
                head: 'Name',
                width: '38%',
                cell: ({ id, name, email, isOperator }) => (
                  <span className="min-w-0">
                    <span className="flex flex-wrap items-center gap-2 font-medium">
                      {name}
                      {isOperator && <Badge tone="info">operator</Badge>}
                      {id === self.id && <Badge>you</Badge>}
                    </span>
                    <span className="block break-words text-muted">{email}</span>
                  </span>
                ),
              },
              {
                head: 'Status',
                cell: ({ disabledAt }) =>
                  disabledAt === null ? (
                    <Status tone="success">active</Status>
                  ) : (
                    <Status tone="danger">disabled</Status>
                  ),
              },
              {
                head: 'Organizations',
                align: 'end',
                cell: ({ organizations }) => formatNumber(organizations),
              },
              {
                head: 'Last sign-in',
                cell: ({ lastSignInAt }) => (lastSignInAt === null ? 'never' : <Time at={lastSignInAt} />),
              },
              { head: 'Created', cell: ({ createdAt }) => <Day at={createdAt} /> },
              {
                head: '(Actions)',
                align: 'end',
                width: '64px',
                cell: (user) =>
                  user.id !== self.id && (
                    <Menu label={`Actions for ${user.name}`}>
                      <MenuItem onSelect={() => setResetting(user)}>Create password reset link</MenuItem>
                      <MenuItem onSelect={() => setChange({ user, isOperator: !user.isOperator })}>
                        {user.isOperator ? 'Revoke operator rights' : 'Make operator'}
                      </MenuItem>
                      <MenuItem
                        danger={user.disabledAt === null}
                        onSelect={() => setChange({ user, disabled: user.disabledAt === null })}
                      >
                        {user.disabledAt === null ? 'Disable user' : 'Enable user'}
                      </MenuItem>
                    </Menu>
                  ),
              },
            ]}
          />
        )}
      </Listing>
      <UserDialog change={change} onClose={() => setChange(null)} />
      <ResetLinkDialog user={resetting} onClose={() => setResetting(null)} />
    </>
  );
}
