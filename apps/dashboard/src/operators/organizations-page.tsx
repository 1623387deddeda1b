import type { OperatedOrganization, Plan } from '@offprint/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Building2 } from 'lucide-react';
import { useState } from 'react';
import { accountApi } from '../api.ts';
import { PLAN_CARDS } from '../organizations/plan-cards.ts';
import { sessionQuery, useSession } from '../session.tsx';
import {
  Badge,
  Button,
  ButtonLink,
  Day,
  Dialog,
  Empty,
  Form,
  FormActions,
  formatNumber,
  Id,
  Listing,
  PageHeader,
  RadioCards,
  Table,
  toast,
  useCursorList,
} from '../ui/index.ts';
import { OperatorsOnly } from './operators-only.tsx';
import { SearchBox, useSearch } from './search-box.tsx';

export function Page() {
  return (
    <>
      <PageHeader
        title="Organizations"
        description="Every organization of this installation, newest first."
        action={<ButtonLink to="/new-organization">New organization</ButtonLink>}
      />
      <OperatorsOnly>
        <Organizations />
      </OperatorsOnly>
    </>
  );
}

function Organizations() {
  const { organizations: own } = useSession();
  const [search, setSearch] = useSearch();
  const [changing, setChanging] = useState<OperatedOrganization | null>(null);
  const organizations = useCursorList(['operator', 'organizations', search], (query, signal) =>
    accountApi.listOperatedOrganizations({ ...query, ...(search === '' ? {} : { search }) }, { signal }),
  );
  return (
    <>
      <SearchBox label="Search organizations" value={search} onChange={setSearch} />
      <Listing
        list={organizations}
        fault="The organizations did not load"
        empty={
          <Empty icon={<Building2 />} title={search === '' ? 'No organizations' : 'No results'}>
            {search === ''
              ? 'Users create organizations, or you do.'
              : `No organization name contains “${search}”.`}
          </Empty>
        }
      >
        {(items) => (
          <Table
            label="Organizations"
            rows={items}
            rowKey={({ id }) => id}
            columns={[
              {
                head: 'Name',
                width: '38%',
                cell: ({ id, name }) => (
                  <span className="min-w-0">
                    <span className="block font-medium">
                      {own.some((organization) => organization.id === id) ? (
                        <Link to="/$organizationId" params={{ organizationId: id }} className="link">
                          {name}
                        </Link>
                      ) : (
                        name
                      )}
                    </span>
                    <Id value={id} name="organization id" short />
                  </span>
                ),
              },
              {
                head: 'Plan',
                cell: ({ plan }) => <Badge tone={plan === 'free' ? 'neutral' : 'success'}>{plan}</Badge>,
              },
              { head: 'Members', align: 'end', cell: ({ members }) => formatNumber(members) },
              { head: 'Projects', align: 'end', cell: ({ projects }) => formatNumber(projects) },
              { head: 'Created', cell: ({ createdAt }) => <Day at={createdAt} /> },
              {
                head: '(Actions)',
                align: 'end',
                cell: (organization) => (
                  <Button look="quiet" size="small" onClick={() => setChanging(organization)}>
                    Change plan
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Listing>
      <Dialog
        open={changing !== null}
        onClose={() => setChanging(null)}
        title={`Plan of ${changing?.name}`}
        description="The new plan applies from the next request. Running exports and agent jobs continue."
      >
        {changing !== null && <PlanForm organization={changing} onClose={() => setChanging(null)} />}
      </Dialog>
    </>
  );
}

function PlanForm({ organization, onClose }: { organization: OperatedOrganization; onClose: () => void }) {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (plan: Plan) => accountApi.updateOperatedOrganization(organization.id, { plan }),
    onSuccess: async ({ name, plan }) => {
      await Promise.all([
        client.invalidateQueries({ queryKey: ['operator', 'organizations'] }),
        client.invalidateQueries({ queryKey: sessionQuery.queryKey }),
      ]);
      onClose();
      toast(`${name} now has the ${plan} plan`);
    },
  });
  return (
    <Form error={change.error} onSubmit={(values) => change.mutate(values.get('plan') as Plan)}>
      <RadioCards
        label="Plan"
        name="plan"
        options={PLAN_CARDS}
        defaultValue={organization.plan}
        columns={1}
      />
      <FormActions>
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" busy={change.isPending}>
          Change plan
        </Button>
      </FormActions>
    </Form>
  );
}
