import type { Plan } from '@offprint/contract';
import { useMutation } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { accountApi } from '../api.ts';
import { queries } from '../queries.ts';
import { sessionQuery, useSession } from '../session.tsx';
import { Button, Card, Field, Form, FormActions, Input, PageHeader, RadioCards } from '../ui/index.ts';
import { PLAN_CARDS } from './plan-cards.ts';

export function Page() {
  const { user, organizations } = useSession();
  const router = useRouter();
  const create = useMutation({
    mutationFn: ({ name, plan }: { name: string; plan: Plan | null }) =>
      accountApi.createOrganization({ name, ...(plan === null ? {} : { plan }) }),
    onSuccess: async ({ id }) => {
      await queries.fetchQuery({ ...sessionQuery, staleTime: 0 });
      await router.navigate({ to: '/$organizationId', params: { organizationId: id } });
    },
  });
  return (
    <>
      <PageHeader
        title="New organization"
        description={
          organizations.length === 0
            ? 'You do not belong to an organization yet. Create one for your team, or open an invitation link to join an existing one.'
            : 'An organization contains projects, exports, API keys and members. Only its members can see it.'
        }
      />
      <Card className="max-w-180">
        <Form
          error={create.error}
          onSubmit={(values) =>
            create.mutate({
              name: String(values.get('name')),
              plan: values.get('plan') as Plan | null,
            })
          }
        >
          <Field label="Name" param="/name" help="Your team or company. You can change it later.">
            {(control) => (
              <Input
                {...control}
                name="name"
                required
                maxLength={200}
                autoComplete="organization"
                autoFocus
              />
            )}
          </Field>
          {user.isOperator && (
            <RadioCards label="Plan" name="plan" options={PLAN_CARDS} defaultValue="enterprise" />
          )}
          <FormActions>
            <Button type="submit" busy={create.isPending}>
              Create organization
            </Button>
          </FormActions>
        </Form>
      </Card>
    </>
  );
}
