import type { Automation, Project } from '@offprint/contract';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import { Fault, Field, Loaded, PlanGate, RoleGate, Section, Select, Skeleton, useGate } from '../ui/index.ts';
import { useUpdateAutomation } from './automation-data.ts';
import { ScheduleSection } from './schedule-section.tsx';
import { TriggersSection } from './triggers-section.tsx';
import { WebhookSection } from './webhook-section.tsx';

export function AutomationTab({ project }: { project: Project }) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const automation = useQuery({
    queryKey: [organizationId, 'projects', project.id, 'automation'],
    queryFn: ({ signal }) => api.getAutomation(project.id, { signal }),
  });
  return (
    <>
      <PlanGate plan="enterprise" feature="Static export" />
      <RoleGate role="editor" act="Changing the automation" />
      <Loaded
        query={automation}
        fault="The automation did not load"
        skeleton={<Skeleton shape="card" count={3} />}
      >
        {(data) => (
          <>
            <WebhookSection project={project} automation={data} />
            <ScheduleSection key={JSON.stringify(data.schedule)} project={project} automation={data} />
            {project.domains.length > 1 && <DomainSection project={project} automation={data} />}
          </>
        )}
      </Loaded>
      <TriggersSection project={project} />
    </>
  );
}

function DomainSection({ project, automation }: { project: Project; automation: Automation }) {
  const reason = useGate({ role: 'editor' });
  const update = useUpdateAutomation(project, automation, 'Domain saved.');
  return (
    <Section title="Domain" description="The domain that webhooks and the schedule export.">
      <div className="max-w-100 space-y-4">
        <Field label="Domain to export">
          {(control) => (
            <Select
              {...control}
              value={automation.domain ?? ''}
              disabled={reason !== null || update.isPending}
              onChange={({ target }) => update.mutate({ domain: target.value === '' ? null : target.value })}
            >
              <option value="">The first ({project.domains[0]})</option>
              {project.domains.map((domain) => (
                <option key={domain}>{domain}</option>
              ))}
            </Select>
          )}
        </Field>
        {update.error !== null && <Fault error={update.error} />}
      </div>
    </Section>
  );
}
