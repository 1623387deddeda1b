import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useApi } from '../api.ts';
import { sessionQuery, useOrganization, useSession } from '../session.tsx';
import {
  Badge,
  Button,
  Card,
  Day,
  Facts,
  Field,
  Form,
  FormActions,
  Id,
  Input,
  PageHeader,
  RoleGate,
  Section,
  toast,
  useGate,
} from '../ui/index.ts';
import { LeaveOrganization } from './leave-organization.tsx';
import { PLAN_CARDS } from './plan-cards.ts';

export function Page() {
  const api = useApi();
  const organization = useOrganization();
  const { user } = useSession();
  const client = useQueryClient();
  const reason = useGate({ role: 'admin' });
  const details = useQuery({
    queryKey: [organization.id, 'organization'],
    queryFn: ({ signal }) => api.getOrganization({ signal }),
  });
  const save = useMutation({
    mutationFn: (name: string) => api.updateOrganization({ name }),
    onSuccess: async () => {
      await Promise.all([
        client.invalidateQueries({ queryKey: sessionQuery.queryKey }),
        client.invalidateQueries({ queryKey: [organization.id, 'organization'] }),
      ]);
      toast('Name saved');
    },
  });
  return (
    <>
      <PageHeader
        title="Settings"
        description="Settings of the organization. Each project has its own settings page."
      />
      <RoleGate role="admin" act="Changing the settings" />
      <Section title="General">
        <Card className="mb-4">
          <Form
            key={organization.id}
            error={save.error}
            onSubmit={(values) => save.mutate(String(values.get('name')))}
          >
            <Field label="Name" param="/name">
              {(control) => (
                <Input
                  {...control}
                  name="name"
                  required
                  maxLength={200}
                  defaultValue={organization.name}
                  readOnly={reason !== null}
                />
              )}
            </Field>
            <FormActions>
              <Button type="submit" busy={save.isPending} reason={reason}>
                Save name
              </Button>
            </FormActions>
          </Form>
        </Card>
        <Facts
          facts={[
            ['Organization id', <Id key="id" value={organization.id} name="organization id" />],
            ['Created', details.data === undefined ? '…' : <Day key="day" at={details.data.createdAt} />],
            ['Your role', organization.role],
          ]}
        />
      </Section>
      <Section
        title="Plan"
        description={
          user.isOperator ? (
            <>
              You are an operator of this installation:{' '}
              <Link
                to="/operator/organizations"
                search={{ search: organization.name } as never}
                className="link"
              >
                change the plan
              </Link>
              .
            </>
          ) : (
            'An operator of this installation can change the plan.'
          )
        }
      >
        <div className="grid gap-2.5 sm:grid-cols-3">
          {PLAN_CARDS.map(({ value, label, help }) => (
            <div
              key={value}
              className={`rounded-card border p-4 text-sm ${value === organization.plan ? 'border-primary bg-primary-soft' : ''}`}
            >
              <p className="flex items-center justify-between gap-2 font-medium">
                {label}
                {value === organization.plan && <Badge tone="success">current</Badge>}
              </p>
              <p className="mt-1 text-muted">{help}</p>
            </div>
          ))}
        </div>
      </Section>
      <Section
        title="Leave"
        description="You lose access immediately. Everything that you created remains, and your API keys keep working."
      >
        <LeaveOrganization />
      </Section>
    </>
  );
}
