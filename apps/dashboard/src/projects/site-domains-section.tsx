import type { AddDomainBody, Project, SiteDomain } from '@offprint/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Globe } from 'lucide-react';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import {
  Button,
  Empty,
  Field,
  Form,
  FormActions,
  Input,
  Listing,
  RoleGate,
  Section,
  toast,
  useCursorList,
  useGate,
} from '../ui/index.ts';
import { SiteDomainCard } from './site-domain-card.tsx';

/** A domain that waits for DNS or a certificate changes without the person. */
const WAITING_MS = 10_000;
const CALM_MS = 60_000;

export function domainsKey(organizationId: string, projectId: string): string[] {
  return [organizationId, 'projects', projectId, 'site-domains'];
}

/** The hosts on which the site servers of the installation serve the project. */
export function SiteDomainsSection({ project }: { project: Project }) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const domains = useCursorList<SiteDomain>(
    domainsKey(organizationId, project.id),
    (query, signal) => api.listDomains(project.id, query, { signal }),
    {
      refetchInterval: (items) =>
        items.some(({ nextStep, certificate }) => nextStep !== null || certificate?.state === 'running')
          ? WAITING_MS
          : CALM_MS,
    },
  );
  return (
    <Section
      title="Domains"
      description="Domains on which this installation serves the site, as soon as your organization has verified them. After you add one, its next step is shown."
    >
      <RoleGate role="editor" act="Changing domains" />
      <div className="space-y-6">
        <Listing
          list={domains}
          fault="The domains did not load"
          empty={
            <Empty icon={<Globe />} title="No domains yet">
              Add a domain that your organization owns. The next steps are shown here.
            </Empty>
          }
        >
          {(items) => (
            <ul className="space-y-4">
              {items.map((domain) => (
                <li key={domain.id}>
                  <SiteDomainCard
                    projectId={project.id}
                    domain={domain}
                    others={items.filter(
                      ({ id, domain: host, redirectTo }) =>
                        id !== domain.id && redirectTo === null && !host.startsWith('*.'),
                    )}
                  />
                </li>
              ))}
            </ul>
          )}
        </Listing>
        <AddDomain project={project} />
      </div>
    </Section>
  );
}

function AddDomain({ project }: { project: Project }) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const queries = useQueryClient();
  const reason = useGate({ role: 'editor' });
  const add = useMutation({
    mutationFn: (body: AddDomainBody) => api.addDomain(project.id, body),
    onSuccess: async ({ domain, state }) => {
      toast(state === 'verified' ? `${domain} is verified.` : `${domain} was added.`);
      // The project has the domain, too.
      await queries.invalidateQueries({ queryKey: [organizationId, 'projects'] });
    },
  });
  if (reason !== null) return null;
  return (
    <Form
      key={add.data?.id}
      error={add.error}
      onSubmit={(values) => add.mutate({ domain: String(values.get('domain')).trim() })}
      className="max-w-160"
    >
      <Field
        label="Domain to add"
        param="/domain"
        help="For example, docs.example.com, or *.previews.example.com for previews."
      >
        {(control) => (
          <Input
            {...control}
            name="domain"
            required
            maxLength={253}
            autoCapitalize="off"
            autoComplete="off"
            spellCheck={false}
          />
        )}
      </Field>
      <FormActions>
        <Button type="submit" busy={add.isPending}>
          Add domain
        </Button>
      </FormActions>
    </Form>
  );
}
