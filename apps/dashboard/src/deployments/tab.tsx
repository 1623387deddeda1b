import type { Project } from '@offprint/contract';
import { Loaded, PlanGate, RoleGate, Skeleton } from '../ui/index.ts';
import { isEnded, useDeployments, useHosting } from './data.ts';
import { HostingSection } from './hosting-section.tsx';
import { ListSection } from './list-section.tsx';
import { LiveSection } from './live-section.tsx';

/** The deployments of a project: what is live, what was and what will be. */
export function DeploymentsTab({ project }: { project: Project }) {
  const list = useDeployments(project.id);
  const hosting = useHosting(project.id, !list.items.every(isEnded));
  return (
    <>
      <PlanGate plan="enterprise" feature="Static export" />
      <RoleGate role="editor" act="Deploying" />
      <Loaded
        query={hosting}
        fault="The deployments did not load"
        skeleton={<Skeleton shape="card" count={3} />}
      >
        {(data) => (
          <>
            <LiveSection project={project} hosting={data} />
            <ListSection project={project} hosting={data} list={list} />
            <HostingSection project={project} hosting={data} />
          </>
        )}
      </Loaded>
    </>
  );
}
