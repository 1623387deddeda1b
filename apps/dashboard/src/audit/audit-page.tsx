import type { AuditEvent } from '@offprint/contract';
import { useMutation } from '@tanstack/react-query';
import { Link, type LinkProps, useNavigate, useSearch } from '@tanstack/react-router';
import { Download, ScrollText } from 'lucide-react';
import { useApi } from '../api.ts';
import { useOrganization } from '../session.tsx';
import {
  Badge,
  Button,
  Empty,
  ExactTime,
  FilterInput,
  FilterSelect,
  Filters,
  Id,
  Listing,
  Menu,
  MenuItem,
  messageOf,
  NONE,
  PageHeader,
  RoleGate,
  Table,
  type Tone,
  toast,
  upperFirst,
  useCursorList,
  useGate,
} from '../ui/index.ts';
import { ACTIONS, actionWords } from './actions.ts';
import { type AuditSearch, auditFilterOf, readAuditSearch } from './filter.ts';
import { saveResponse } from './save.ts';
import { changeText, pageOfTarget } from './target.ts';

export function Page() {
  const api = useApi();
  const { id: organizationId } = useOrganization();
  const denied = useGate({ role: 'admin' });
  const search = readAuditSearch(useSearch({ strict: false }));
  const filter = auditFilterOf(search);
  const list = useCursorList(
    [organizationId, 'audit', filter],
    (query, signal) => api.listAuditEvents({ ...filter, ...query }, { signal }),
    { enabled: denied === null },
  );
  const save = useMutation({
    mutationFn: async (format: 'csv' | 'jsonl') =>
      saveResponse(await api.exportAuditEvents({ ...filter, format }), `audit-log.${format}`),
    onSuccess: () => toast('Audit log saved as a file'),
    onError: (error) => toast.error(messageOf(error)),
  });
  const isFiltered = Object.keys(search).length > 0;
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Every change in this organization: who, what, when and from where, including refused requests. Events cannot be edited."
        {...(denied === null && {
          action: (
            <Menu
              label="Export"
              trigger={
                <Button look="quiet" busy={save.isPending}>
                  <Download aria-hidden="true" className="size-4" />
                  Export
                </Button>
              }
            >
              <MenuItem onSelect={() => save.mutate('csv')}>CSV (spreadsheets)</MenuItem>
              <MenuItem onSelect={() => save.mutate('jsonl')}>JSON Lines (programs)</MenuItem>
            </Menu>
          ),
        })}
      />
      <RoleGate role="admin" act="Reading the audit log" />
      {denied === null && (
        <>
          <AuditFilters search={search} />
          <Listing
            list={list}
            fault="The audit log did not load"
            empty={
              isFiltered ? (
                <Empty icon={<ScrollText />} title="No matching events">
                  No event in this organization matches all filters.
                </Empty>
              ) : (
                <Empty icon={<ScrollText />} title="No events yet">
                  Every change by a member, an API key, an operator, a webhook or a schedule is listed here
                  with its IP address and outcome.
                </Empty>
              )
            }
          >
            {(events) => <Events events={events} />}
          </Listing>
        </>
      )}
    </>
  );
}

const OUTCOMES = [
  { value: 'done', label: 'Done' },
  { value: 'refused', label: 'Refused' },
  { value: 'failed', label: 'Failed' },
] as const;

const CHOICES = Object.keys(ACTIONS)
  .map((value) => ({ value, label: upperFirst(actionWords(value)) }))
  .sort((a, b) => (a.label < b.label ? -1 : 1));

function AuditFilters({ search }: { search: AuditSearch }) {
  const navigate = useNavigate();
  const set = (name: keyof AuditSearch) => (value: string) =>
    void navigate({
      to: '.',
      search: (before) => ({ ...before, [name]: value === '' ? undefined : value }) as never,
      replace: true,
      resetScroll: false,
    });
  const isFiltered = Object.keys(search).length > 0;
  const isKnown = search.action === undefined || Object.hasOwn(ACTIONS, search.action);
  return (
    <Filters label="Audit log">
      <FilterInput
        label="Who"
        value={search.actor ?? ''}
        onChange={set('actor')}
        placeholder="email or key name"
        className="sm:w-48"
      />
      <FilterSelect
        label="What"
        all="Everything"
        value={search.action ?? ''}
        onChange={set('action')}
        options={
          isKnown || search.action === undefined
            ? CHOICES
            : [{ value: search.action, label: upperFirst(actionWords(search.action)) }, ...CHOICES]
        }
        className="sm:w-60"
      />
      <FilterSelect
        label="Outcome"
        all="Any outcome"
        value={search.outcome ?? ''}
        onChange={set('outcome')}
        options={OUTCOMES}
        className="sm:w-36"
      />
      <FilterInput
        label="From"
        type="date"
        value={search.from ?? ''}
        onChange={set('from')}
        className="sm:w-40"
      />
      <FilterInput label="To" type="date" value={search.to ?? ''} onChange={set('to')} className="sm:w-40" />
      {isFiltered && (
        <Button
          look="plain"
          onClick={() => void navigate({ to: '.', search: {} as never, replace: true, resetScroll: false })}
        >
          Clear filters
        </Button>
      )}
    </Filters>
  );
}

const TONES: Readonly<Record<AuditEvent['outcome'], Tone>> = {
  done: 'neutral',
  refused: 'warning',
  failed: 'danger',
};

function Events({ events }: { events: readonly AuditEvent[] }) {
  return (
    <Table
      label="Audit events"
      rows={events}
      rowKey={({ id }) => id}
      columns={[
        {
          head: 'Event',
          width: '34%',
          cell: ({ actor, action, code, changes }) => (
            <span className="block min-w-0">
              <span className="font-medium">{upperFirst(actionWords(action))}</span>
              <span className="block text-muted text-xs">
                <span className="text-text">{actor.name === '' ? 'Unknown' : actor.name}</span>
                {`, ${KINDS[actor.kind]}`}
                {code !== null && (
                  <>
                    {' · '}
                    <code>{code}</code>
                  </>
                )}
              </span>
              <Changes changes={changes} />
            </span>
          ),
        },
        {
          head: 'Target',
          width: '24%',
          cell: (event) => <Target event={event} />,
        },
        {
          head: 'Outcome',
          cell: ({ outcome }) => <Badge tone={TONES[outcome]}>{outcome}</Badge>,
        },
        {
          head: 'IP address',
          cell: ({ address, requestId }) => (
            <span className="block">
              <span className="block">{address ?? NONE}</span>
              {requestId !== null && (
                <span className="text-muted">
                  <Id value={requestId} name="request id" short />
                </span>
              )}
            </span>
          ),
        },
        {
          head: 'Time',
          align: 'end',
          cell: ({ at }) => (
            <span className="whitespace-nowrap text-muted text-xs">
              <ExactTime at={at} />
            </span>
          ),
        },
      ]}
    />
  );
}

/** Changes shown at first; the others are folded. */
const SHOWN = 3;

function Changes({ changes }: Pick<AuditEvent, 'changes'>) {
  if (changes.length === 0) return null;
  const lines = (some: AuditEvent['changes']) => (
    <ul className="text-muted text-xs leading-5">
      {some.map((change) => (
        <li key={change.field} className="[overflow-wrap:anywhere]">
          {changeText(change)}
        </li>
      ))}
    </ul>
  );
  return (
    <div className="mt-0.5">
      {lines(changes.slice(0, SHOWN))}
      {changes.length > SHOWN && (
        <details>
          <summary className="w-fit rounded-control text-muted text-xs leading-5 hover:text-text">
            {changes.length - SHOWN} more
          </summary>
          {lines(changes.slice(SHOWN))}
        </details>
      )}
    </div>
  );
}

/** The target by its name, with its id. Events of earlier versions have the id only. */
function Target({ event }: { event: AuditEvent }) {
  const { id: organizationId } = useOrganization();
  const { target, targetName } = event;
  if (target === null) return NONE;
  const page = pageOfTarget(event, organizationId);
  return (
    <span className="block min-w-0">
      {targetName !== null && (
        <span className="block [overflow-wrap:anywhere]">
          {page === null ? (
            targetName
          ) : (
            <Link {...(page as LinkProps)} className="link">
              {targetName}
            </Link>
          )}
        </span>
      )}
      <span className="text-muted text-xs">
        <Id value={target} name="target id" short />
      </span>
    </span>
  );
}

const KINDS: Readonly<Record<AuditEvent['actor']['kind'], string>> = {
  member: 'member',
  key: 'API key',
  user: 'user',
  operator: 'operator',
  webhook: 'webhook',
  schedule: 'schedule',
  stranger: 'not signed in',
};
