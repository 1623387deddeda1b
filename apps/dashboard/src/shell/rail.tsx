import { Link } from '@tanstack/react-router';
import { Check, ChevronsUpDown, LogOut, Monitor, Moon, Plus, Search, Sun, UserRound } from 'lucide-react';
import { use } from 'react';
import {
  firstOrganization,
  type Membership,
  useCurrentOrganization,
  useSession,
  useSignOut,
} from '../session.tsx';
import { Menu, MenuChoice, MenuItem, MenuLabel, MenuLink, MenuSeparator } from '../ui/menu.tsx';
import { Badge } from '../ui/status.tsx';
import { useTheme } from '../ui/use-theme.ts';
import { HelpMenu } from './help-menu.tsx';
import { INSTALLATION_PAGES, ORGANIZATION_PAGES, type PageEntry, WORK_PAGES } from './pages.ts';
import { OpenOverlay, shortcutOf } from './shortcuts.ts';

/** The navigation: the organization, its pages, the installation for operators, the account and help. */
export function Rail() {
  const session = useSession();
  const { user } = session;
  // Pages outside of any organization lead back to the one before.
  const organization = useCurrentOrganization() ?? firstOrganization(session);
  return (
    <div className="flex h-full flex-col gap-4 overflow-y-auto p-3">
      <Link to="/" className="flex items-center gap-2.5 px-2 pt-1.5 font-semibold">
        <img src="/mark.svg" alt="" width="24" height="24" />
        Offprint
      </Link>
      <div className="space-y-2">
        <OrganizationMenu current={organization} />
        <SearchButton />
      </div>
      <nav
        aria-label="Dashboard"
        className="-mx-3 flex min-h-40 flex-1 flex-col gap-5 overflow-y-auto px-3 py-0.5"
      >
        {organization !== null && (
          <>
            <Entries entries={WORK_PAGES} organizationId={organization.id} />
            <Entries entries={ORGANIZATION_PAGES} organizationId={organization.id} title="Organization" />
          </>
        )}
        {user.isOperator && <Entries entries={INSTALLATION_PAGES} title="Installation" />}
      </nav>
      <div className="flex items-center gap-1">
        <AccountMenu />
        <HelpMenu />
      </div>
    </div>
  );
}

/** Opens the command palette. */
function SearchButton() {
  const open = use(OpenOverlay);
  return (
    <button
      type="button"
      onClick={() => open('palette')}
      aria-keyshortcuts="Control+K Meta+K"
      className="flex w-full items-center gap-2.5 rounded-control border border-border bg-bg px-2.5 py-1.5 text-start text-muted text-sm hover:bg-hover hover:text-text"
    >
      <Search aria-hidden="true" className="size-4 flex-none" />
      <span className="flex-1">Search</span>
      <kbd className="rounded border border-border-strong px-1.5 font-sans text-xs leading-5">
        {shortcutOf('K')}
      </kbd>
    </button>
  );
}

function Entries({
  entries,
  organizationId,
  title,
}: {
  entries: readonly PageEntry[];
  organizationId?: string;
  title?: string;
}) {
  return (
    <div>
      {title !== undefined && <p className="mb-1 px-2.5 font-medium text-muted text-xs">{title}</p>}
      <ul className="space-y-0.5">
        {entries.map(({ to, label, icon: Icon, exact }) => (
          <li key={to}>
            <Link
              to={to}
              params={{ organizationId } as never}
              activeOptions={{ exact: exact === true, includeSearch: false }}
              className="group flex min-h-8.5 items-center gap-2.5 rounded-control px-2.5 text-muted text-sm transition-colors hover:bg-hover hover:text-text aria-[current=page]:bg-primary-soft aria-[current=page]:font-medium aria-[current=page]:text-primary"
            >
              <Icon aria-hidden="true" className="size-4 flex-none" />
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

function OrganizationMenu({ current }: { current: Membership | null }) {
  const { organizations } = useSession();
  return (
    <Menu
      label="Organizations"
      align="start"
      trigger={
        <button
          type="button"
          className="flex w-full items-center gap-2.5 rounded-control border border-border-strong bg-bg px-2.5 py-2 text-start text-sm hover:bg-hover"
        >
          <span className="min-w-0 flex-1">
            <span className="block truncate font-medium leading-5">
              {current?.name ?? 'No organization yet'}
            </span>
            <span className="block truncate text-muted text-xs leading-4">
              {current === null ? 'Create one, or accept an invitation' : `${current.plan} plan`}
            </span>
          </span>
          <ChevronsUpDown aria-hidden="true" className="size-4 flex-none text-muted" />
        </button>
      }
    >
      {organizations.length > 0 && <MenuLabel>Organizations</MenuLabel>}
      {organizations.map(({ id, name, plan, role }) => (
        <MenuLink
          key={id}
          to="/$organizationId"
          params={{ organizationId: id }}
          aria-current={id === current?.id ? 'true' : undefined}
        >
          <Check
            aria-hidden="true"
            className={`size-4 flex-none text-primary ${id === current?.id ? '' : 'invisible'}`}
          />
          <span className="min-w-0 flex-1">
            <span className={`block truncate ${id === current?.id ? 'font-medium' : ''}`}>{name}</span>
            <span className="block text-muted text-xs">{role}</span>
          </span>
          <Badge>{plan}</Badge>
        </MenuLink>
      ))}
      <MenuSeparator />
      <MenuLink to="/new-organization" icon={<Plus aria-hidden="true" className="size-4 text-muted" />}>
        New organization
      </MenuLink>
    </Menu>
  );
}

const ICON = 'size-4 text-muted';

function AccountMenu() {
  const { user } = useSession();
  const signOut = useSignOut();
  const [theme, setTheme] = useTheme();
  return (
    <Menu
      label="Account"
      align="start"
      side="top"
      trigger={
        <button
          type="button"
          className="flex min-w-0 flex-1 items-center gap-2.5 rounded-control px-2 py-1.5 text-start text-sm hover:bg-hover data-[state=open]:bg-hover"
        >
          <span
            aria-hidden="true"
            className="grid size-7 flex-none place-items-center rounded-full bg-primary-soft font-medium text-primary text-xs uppercase"
          >
            {user.name.slice(0, 1)}
          </span>
          <span className="min-w-0 flex-1">
            <span className="block truncate font-medium leading-5">{user.name}</span>
            <span className="block truncate text-muted text-xs leading-4">{user.email}</span>
          </span>
        </button>
      }
    >
      <MenuLink to="/account" icon={<UserRound aria-hidden="true" className={ICON} />}>
        Your account
      </MenuLink>
      <MenuSeparator />
      <MenuLabel>Theme</MenuLabel>
      <MenuChoice
        value={theme}
        onChange={setTheme}
        options={[
          { value: 'system', label: 'System', icon: <Monitor aria-hidden="true" className={ICON} /> },
          { value: 'light', label: 'Light', icon: <Sun aria-hidden="true" className={ICON} /> },
          { value: 'dark', label: 'Dark', icon: <Moon aria-hidden="true" className={ICON} /> },
        ]}
      />
      <MenuSeparator />
      <MenuItem onSelect={() => signOut.mutate()} icon={<LogOut aria-hidden="true" className={ICON} />}>
        Sign out
      </MenuItem>
    </Menu>
  );
}
