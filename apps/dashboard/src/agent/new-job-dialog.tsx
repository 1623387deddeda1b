import type { AgentSettings, CreateAgentJobBody, Project } from '@offprint/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import { Button, Checkbox, Dialog, Field, Form, FormActions, Input, Textarea } from '../ui/index.ts';
import { agentKeys } from './live.ts';
import { sendOnKeys } from './send-keys.ts';

/** Prompts to begin with, of the kinds that go well. */
const EXAMPLES: readonly { name: string; prompt: string }[] = [
  {
    name: 'Fix broken links',
    prompt: 'Fix every broken link and anchor. Leave pages without one as they are.',
  },
  {
    name: 'Write a page',
    prompt:
      'Add a page that explains how to rotate an API key, step by step, and link it from the quickstart and the navigation.',
  },
  {
    name: 'Rename a term',
    prompt:
      'Rename "workspace" to "organization" in the text of all pages. Leave code, paths and anchors alone.',
  },
  {
    name: 'Edit a page',
    prompt: 'Edit the quickstart: shorten sentences, remove repetition, and keep every command as it is.',
  },
];

interface NewJobDialogProps {
  open: boolean;
  onClose: () => void;
  project: Project;
  settings: AgentSettings | undefined;
  /** Prompt to begin with. */
  prompt?: string;
}

/** Asks what the agent is to do, creates the job and opens its page. */
export function NewJobDialog({ open, onClose, ...form }: NewJobDialogProps) {
  const { project } = form;
  return (
    <Dialog
      open={open}
      onClose={onClose}
      wide
      title="New job"
      description={`The agent works on a branch of ${project.name} and opens a pull request. It never merges.`}
    >
      <NewJobForm {...form} onClose={onClose} />
    </Dialog>
  );
}

function NewJobForm({ project, settings, onClose, prompt: given = '' }: Omit<NewJobDialogProps, 'open'>) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [prompt, setPrompt] = useState(given);
  const [missing, setMissing] = useState(false);
  const create = useMutation({
    mutationFn: (body: CreateAgentJobBody) => api.createAgentJob(project.id, body),
    onSuccess: async (job) => {
      queries.setQueryData(agentKeys.one(organizationId, job.id), job);
      void queries.invalidateQueries({ queryKey: agentKeys.lists(organizationId, project.id) });
      onClose();
      await navigate({
        to: '/$organizationId/agent/$projectId/$jobId',
        params: { organizationId, projectId: project.id, jobId: job.id },
      });
    },
  });
  const submit = (values: FormData) => {
    setMissing(prompt.trim() === '');
    if (prompt.trim() === '') return;
    const text = (name: string) => String(values.get(name) ?? '').trim();
    create.mutate({
      prompt,
      ...(text('baseBranch') === '' ? {} : { baseBranch: text('baseBranch') }),
      ...(text('model') === '' ? {} : { model: text('model') }),
      ...(values.get('draft') === null ? {} : { draft: true }),
    });
  };
  const published = project.source.kind === 'git' ? project.source.branch : null;
  return (
    <Form error={create.error} onSubmit={submit}>
      <Field
        label="Prompt"
        param="/prompt"
        error={missing && prompt.trim() === '' ? 'Describe what the agent should do.' : null}
        help="Describe the change. Use the exact names of pages and terms. Press Ctrl+Enter to create the job."
      >
        {(control) => (
          <Textarea
            {...control}
            name="prompt"
            rows={9}
            value={prompt}
            maxLength={64_000}
            onChange={(event) => setPrompt(event.currentTarget.value)}
            onKeyDown={sendOnKeys}
          />
        )}
      </Field>
      <fieldset className="flex flex-wrap gap-2">
        <legend className="mb-1.5 text-muted text-sm">Start from an example</legend>
        {EXAMPLES.map((example) => (
          <Button key={example.name} look="quiet" size="small" onClick={() => setPrompt(example.prompt)}>
            {example.name}
          </Button>
        ))}
      </fieldset>
      <details>
        <summary className="w-fit rounded-control font-medium text-sm">More options</summary>
        <div className="mt-4 grid gap-5 sm:grid-cols-2">
          <Field
            label="Base branch"
            optional
            param="/baseBranch"
            help="The branch that the agent starts from and that the pull request targets."
          >
            {(control) => (
              <Input
                {...control}
                name="baseBranch"
                placeholder={published ?? 'published branch'}
                spellCheck={false}
                autoCapitalize="off"
              />
            )}
          </Field>
          {settings?.model !== null && settings !== undefined && (
            <Field label="Model" optional param="/model" help="Another model of the same provider.">
              {(control) => (
                <Input {...control} name="model" placeholder={settings.usesModel ?? ''} spellCheck={false} />
              )}
            </Field>
          )}
          <Checkbox name="draft" label="Open the pull request as a draft" className="sm:col-span-2" />
        </div>
      </details>
      <FormActions>
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" busy={create.isPending}>
          Create job
        </Button>
      </FormActions>
    </Form>
  );
}
