import type { Project } from '@offprint/contract';
import { Link } from '@tanstack/react-router';
import { AnalyticsTab } from '../analytics/tab.tsx';
import { AssistantTab } from '../assistant/tab.tsx';
import { DeploymentsTab } from '../deployments/tab.tsx';
import { useOrganizationId, usePathParam } from '../path-params.ts';
import { Button, LoadedPage, PageHeader, Skeleton, Tabs, useGate } from '../ui/index.ts';
import { AccessTab } from './access-tab.tsx';
import { AgentTab } from './agent-tab.tsx';
import { AutomationTab } from './automation-tab.tsx';
import { useProject, useStartExport } from './data.ts';
import { DomainsTab } from './domains-tab.tsx';
import { FeaturesTab } from './features-tab.tsx';
import { NotificationsTab } from './notifications-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { SettingsTab } from './settings-tab.tsx';
import { SourceTab } from './source-tab.tsx';

export function Page() {
  const organizationId = useOrganizationId();
  const query = useProject(usePathParam('projectId'));
  const back = (
    <Link to="/$organizationId/projects" params={{ organizationId }} className="link">
      Projects
    </Link>
  );
  return (
    <LoadedPage
      query={query}
      title="Project"
      back={back}
      fault="The project did not load"
      skeleton={<Skeleton shape="card" count={3} />}
    >
      {(project) => (
        <>
          <PageHeader title={project.name} back={back} action={<StartExport project={project} />} />
          <ProjectTabs project={project} />
        </>
      )}
    </LoadedPage>
  );
}

/** Starts an export of the first domain; other domains and settings are on the page of exports. */
function StartExport({ project }: { project: Project }) {
  const gate = useGate({ role: 'editor', plan: 'enterprise' });
  const start = useStartExport();
  const domain = project.domains[0];
  const isEmpty = project.source.kind === 'upload' && project.source.sha256 === null;
  const reason =
    gate ?? (domain === undefined ? 'Add a domain first.' : isEmpty ? 'Upload the docs first.' : null);
  return (
    <>
      {start.error !== null && (
        <p role="alert" className="max-w-80 text-danger text-sm">
          {start.error.message}
        </p>
      )}
      <Button
        reason={reason}
        busy={start.isPending}
        onClick={() => domain !== undefined && start.mutate(domain)}
      >
        Start export
      </Button>
    </>
  );
}

function ProjectTabs({ project }: { project: Project }) {
  return (
    <Tabs
      label="Project"
      tabs={[
        { value: 'overview', label: 'Overview', content: <OverviewTab project={project} /> },
        { value: 'deployments', label: 'Deployments', content: <DeploymentsTab project={project} /> },
        { value: 'analytics', label: 'Analytics', content: <AnalyticsTab project={project} /> },
        { value: 'source', label: 'Source', content: <SourceTab project={project} /> },
        { value: 'domains', label: 'Domains', content: <DomainsTab project={project} /> },
        { value: 'access', label: 'Access', content: <AccessTab project={project} /> },
        { value: 'features', label: 'Features', content: <FeaturesTab project={project} /> },
        { value: 'automation', label: 'Automation', content: <AutomationTab project={project} /> },
        {
          value: 'notifications',
          label: 'Notifications',
          content: <NotificationsTab project={project} />,
        },
        { value: 'assistant', label: 'Assistant', content: <AssistantTab project={project} /> },
        { value: 'agent', label: 'Agent', content: <AgentTab project={project} /> },
        { value: 'settings', label: 'Settings', content: <SettingsTab project={project} /> },
      ]}
    />
  );
}
