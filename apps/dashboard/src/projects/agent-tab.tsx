import type { AgentSettings, Project } from '@offprint/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import {
  Button,
  Facts,
  Field,
  Form,
  FormActions,
  Input,
  Loaded,
  Notice,
  PlanGate,
  RoleGate,
  Section,
  Skeleton,
  Status,
  Textarea,
  Time,
  toast,
  useGate,
} from '../ui/index.ts';
import { type AgentDraft, agentBody, agentDraftOf } from './agent-draft.ts';
import { ForgeFields } from './agent-forge-fields.tsx';
import { ModelFields } from './agent-model-fields.tsx';
import { ModelTest } from './agent-model-test.tsx';

export function AgentTab({ project }: { project: Project }) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const settings = useQuery({
    queryKey: [organizationId, 'projects', project.id, 'agent'],
    queryFn: ({ signal }) => api.getAgentSettings(project.id, { signal }),
  });
  return (
    <>
      <PlanGate plan="pro" feature="The agent" />
      <RoleGate role="admin" act="Changing the agent settings" />
      <Loaded
        query={settings}
        fault="The agent settings did not load"
        skeleton={<Skeleton shape="card" count={3} />}
      >
        {(data) => (
          <>
            <Readiness settings={data} />
            <AgentForm key={data.updatedAt} project={project} settings={data} />
          </>
        )}
      </Loaded>
    </>
  );
}

function Readiness({ settings }: { settings: AgentSettings }) {
  const organizationId = useOrganizationId();
  return (
    <Section
      title="Agent"
      description="The agent edits the docs of this project from a prompt and opens pull requests."
      action={
        settings.isReady ? (
          <Link to="/$organizationId/agent" params={{ organizationId }} className="link text-sm">
            Agent jobs
          </Link>
        ) : undefined
      }
    >
      {settings.reason !== null && <Notice title="Not ready yet">{settings.reason}</Notice>}
      <Facts
        facts={[
          [
            'State',
            <Status key="state" tone={settings.isReady ? 'success' : 'warning'}>
              {settings.isReady ? 'Ready for jobs' : 'Not ready'}
            </Status>,
          ],
          [
            'Model for new jobs',
            settings.usesModel === null ? (
              'None. Choose a provider below, or ask an operator to configure a model for the installation.'
            ) : (
              <>
                <code className="text-[13px]">{settings.usesModel}</code>{' '}
                <span className="text-muted">
                  {settings.model === null ? '(installation default)' : '(this project)'}
                </span>
              </>
            ),
          ],
          ['Changed', settings.updatedAt === null ? 'Never' : <Time key="at" at={settings.updatedAt} />],
        ]}
      />
    </Section>
  );
}

function AgentForm({ project, settings }: { project: Project; settings: AgentSettings }) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const queries = useQueryClient();
  const reason = useGate({ role: 'admin' });
  const [draft, setDraft] = useState(() => agentDraftOf(settings));
  const set = (change: Partial<AgentDraft>) => setDraft({ ...draft, ...change });
  const isChanged = JSON.stringify(draft) !== JSON.stringify(agentDraftOf(settings));
  const update = useMutation({
    mutationFn: () => api.updateAgentSettings(project.id, agentBody(draft, settings)),
    onSuccess: (data) => {
      queries.setQueryData([organizationId, 'projects', project.id, 'agent'], data);
      toast('Agent settings saved. New jobs use them.');
    },
  });
  return (
    <Form error={update.error} onSubmit={() => update.mutate()} className="mt-10 max-w-180">
      <fieldset disabled={reason !== null} className="min-w-0">
        <Section title="Model">
          <ModelFields draft={draft} set={set} settings={settings} />
          {reason === null && <ModelTest project={project} settings={settings} isChanged={isChanged} />}
        </Section>
        <Section title="Pull requests">
          <ForgeFields draft={draft} set={set} settings={settings} />
        </Section>
        <Section title="Rules">
          <div className="space-y-5">
            {settings.docsAtRepositoryRoot && (
              <Notice title="The docs folder is the root of the repository">
                The agent works beside the files of CI systems, build tools and other agents. It cannot write
                them: only files that are part of the docs are writable, and patterns with wildcards do not
                apply at the root. To separate the docs, move them to a folder and set it under Source.
              </Notice>
            )}
            <Field
              label="Instructions"
              optional
              param="/instructions"
              help="Added to the instructions in the repository, for example language, tone, or files to leave unchanged."
            >
              {(control) => (
                <Textarea
                  {...control}
                  rows={5}
                  maxLength={32_000}
                  value={draft.instructions}
                  onChange={({ target }) => set({ instructions: target.value })}
                />
              )}
            </Field>
            <Field
              label="Additional writable files"
              optional
              param="/writeAllow"
              help="Glob patterns relative to the docs folder, one per line, such as snippets/*.jsx: scripts, style sheets, HTML and text. The agent can always write pages, docs.json, API descriptions that it names, and SVG images in folders with images. It can never write CI files, build files, Git files or instructions for agents."
            >
              {(control) => (
                <Textarea
                  {...control}
                  rows={3}
                  value={draft.writeAllow}
                  onChange={({ target }) => set({ writeAllow: target.value })}
                  spellCheck={false}
                  className="font-mono text-[13px]"
                />
              )}
            </Field>
            <Field
              label="Branch prefix"
              param="/branchPrefix"
              help="The agent pushes only to branches with this prefix."
            >
              {(control) => (
                <Input
                  {...control}
                  required
                  maxLength={100}
                  value={draft.branchPrefix}
                  onChange={({ target }) => set({ branchPrefix: target.value })}
                  spellCheck={false}
                  autoCapitalize="off"
                  autoComplete="off"
                  className="font-mono"
                />
              )}
            </Field>
          </div>
        </Section>
      </fieldset>
      {reason === null && (
        <FormActions>
          <Button type="submit" busy={update.isPending}>
            Save agent settings
          </Button>
        </FormActions>
      )}
    </Form>
  );
}
