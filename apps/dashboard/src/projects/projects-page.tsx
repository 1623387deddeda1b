import { useQuery } from '@tanstack/react-query';
import type { Api } from '../session.ts';
import { Badge, CopyButton, Empty, Fault, Skeleton } from '../ui/parts.tsx';

export function ProjectsPage({ api }: { api: Api }) {
  const projects = useQuery({ queryKey: ['projects'], queryFn: () => api.listProjects({}) });
  return (
    <>
      <h1 className="font-semibold text-2xl tracking-tight">Projects</h1>
      <p className="mt-1 text-muted">A project is a docs source and the domains it publishes on.</p>
      {projects.isPending && <Skeleton rows={2} />}
      {projects.error && <Fault error={projects.error} />}
      {projects.data?.data.length === 0 && (
        <Empty title="No project yet">
          Connect a Git repository or an upload with <code>POST /v1/projects</code>.
        </Empty>
      )}
      <ul className="mt-6 space-y-3">
        {projects.data?.data.map((project) => (
          <li key={project.id} className="rounded-xl border border-line bg-raised p-4">
            <div className="flex flex-wrap items-center gap-2">
              <h2 className="font-semibold">{project.name}</h2>
              <Badge>{project.deploymentType}</Badge>
              <Badge>{project.source.kind}</Badge>
            </div>
            <p className="mt-1 text-muted text-sm">{project.domains.join(', ') || 'No domain yet'}</p>
            <div className="mt-3 flex flex-wrap items-center gap-3">
              <code className="break-all text-sm">{project.id}</code>
              <CopyButton text={project.id} label="Copy project ID" />
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}
