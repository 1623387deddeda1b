import type { Project } from '@offprint/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import { CopyButton, Facts, Fault, Field, Id, Section, Select, Skeleton, Table } from '../ui/index.ts';
import { Code } from './code.tsx';
import { createAgentJobCommand, startExportCommand } from './key-facts.ts';

/** Ids of the projects, and how to call the API with them. */
export function UseApiSection() {
  const api = useApi();
  const organizationId = useOrganizationId();
  const projects = useQuery({
    queryKey: [organizationId, 'projects', 'ids'],
    queryFn: ({ signal }) => allProjects((cursor) => api.listProjects({ limit: 100, ...cursor }, { signal })),
  });
  return (
    <>
      <Section
        title="Project ids"
        description="Requests for agent jobs identify the project by its id. An id is not a secret."
      >
        {projects.error !== null && projects.data === undefined ? (
          <Fault
            error={projects.error}
            title="The projects did not load"
            retry={() => void projects.refetch()}
          />
        ) : projects.data === undefined ? (
          <Skeleton count={2} />
        ) : projects.data.length === 0 ? (
          <p className="text-muted text-sm">No projects yet. Their ids are shown here.</p>
        ) : (
          <Table
            label="Project ids"
            rows={projects.data}
            rowKey={({ id }) => id}
            columns={[
              {
                head: 'Project',
                width: '40%',
                cell: ({ name, domains }) => (
                  <span className="block min-w-0">
                    <span className="font-medium">{name}</span>
                    {domains[0] !== undefined && (
                      <span className="block text-muted text-xs leading-5">{domains[0]}</span>
                    )}
                  </span>
                ),
              },
              {
                head: 'Project id',
                cell: ({ id, name }) => <Id value={id} name={`project id of ${name}`} />,
              },
            ]}
          />
        )}
      </Section>
      <UseApi projects={projects.data ?? []} />
    </>
  );
}

function UseApi({ projects }: { projects: readonly Project[] }) {
  const [chosen, setChosen] = useState('');
  const url = location.origin;
  const project =
    projects.find(({ id }) => id === chosen) ??
    projects.find(({ domains }) => domains.length > 0) ??
    projects[0];
  const domain = project?.domains[0] ?? 'docs.example.com';
  const exportCommand = startExportCommand(url, domain);
  const agentCommand = createAgentJobCommand(url, project?.id ?? 'prj_…');
  return (
    <Section
      title="Use the API"
      description="Send a key as a bearer token with every request. The examples read it from the environment variable OFFPRINT_API_KEY."
    >
      <Facts
        facts={[
          ['Base URL', <Id key="url" value={url} name="base URL" />],
          [
            'Reference',
            <a key="openapi" href="/openapi.json" className="link">
              OpenAPI document
            </a>,
          ],
        ]}
      />
      {projects.length > 1 && (
        <div className="mt-5 max-w-100">
          <Field label="Examples for the project">
            {(control) => (
              <Select {...control} value={project?.id} onChange={({ target }) => setChosen(target.value)}>
                {projects.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        </div>
      )}
      <Example title="Start an export" command={exportCommand} />
      <Example title="Create an agent job" command={agentCommand} />
    </Section>
  );
}

function Example({ title, command }: { title: string; command: string }) {
  return (
    <div className="mt-5">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="font-medium text-sm">{title}</h3>
        <CopyButton text={command} />
      </div>
      <Code label={title} text={command} />
    </div>
  );
}

/** All projects, 1,000 at most. */
async function allProjects(
  read: (cursor: { cursor?: string }) => Promise<{ data: Project[]; nextCursor: string | null }>,
): Promise<Project[]> {
  const projects: Project[] = [];
  let cursor: string | null = '';
  for (let page = 0; page < 10 && cursor !== null; page++) {
    const answer = await read(cursor === '' ? {} : { cursor });
    projects.push(...answer.data);
    cursor = answer.nextCursor;
  }
  return projects;
}
