import type { Project } from '@offprint/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import {
  Button,
  Dialog,
  Fault,
  Field,
  Form,
  FormActions,
  Input,
  RoleGate,
  Section,
  toast,
  useGate,
} from '../ui/index.ts';
import { useUpdateProject } from './data.ts';

export function SettingsTab({ project }: { project: Project }) {
  const editorReason = useGate({ role: 'editor' });
  const adminReason = useGate({ role: 'admin' });
  const [isDeleting, setDeleting] = useState(false);
  const update = useUpdateProject(project.id, 'Name saved.');
  return (
    <>
      <RoleGate role="editor" act="Changing the project" />
      <Section title="Name">
        <Form
          error={update.error}
          onSubmit={(values) => update.mutate({ name: String(values.get('name')).trim() })}
          className="max-w-160"
        >
          <Field label="Project name" param="/name" help="Shown in lists and in the audit log.">
            {(control) => (
              <Input
                {...control}
                key={project.name}
                name="name"
                required
                maxLength={200}
                defaultValue={project.name}
                readOnly={editorReason !== null}
                autoComplete="off"
              />
            )}
          </Field>
          <FormActions>
            <Button type="submit" reason={editorReason} busy={update.isPending}>
              Save name
            </Button>
          </FormActions>
        </Form>
      </Section>
      <Section title="Delete project">
        <div className="flex flex-wrap items-center justify-between gap-4 rounded-card border border-danger/40 p-4">
          <p className="min-w-0 max-w-[60ch] flex-1 basis-64 text-sm">
            Deletes the source, its credential, the automation and the agent settings, and releases the
            domains. Finished exports remain until you delete them.
          </p>
          <Button look="danger" reason={adminReason} onClick={() => setDeleting(true)}>
            Delete project
          </Button>
        </div>
      </Section>
      {isDeleting && <DeleteDialog project={project} onClose={() => setDeleting(false)} />}
    </>
  );
}

function DeleteDialog({ project, onClose }: { project: Project; onClose: () => void }) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const remove = useMutation({
    mutationFn: () => api.deleteProject(project.id),
    onSuccess: async () => {
      await navigate({ to: '/$organizationId/projects', params: { organizationId } });
      toast(`Project “${project.name}” deleted.`);
      queries.removeQueries({ queryKey: [organizationId, 'projects', project.id] });
      await queries.invalidateQueries({ queryKey: [organizationId, 'projects'] });
    },
  });
  const isSure = typed.trim() === project.name.trim();
  return (
    <Dialog open onClose={onClose} title={`Delete the project “${project.name}”?`}>
      <div className="space-y-2 text-sm">
        <p>This cannot be undone:</p>
        <ul className="list-disc space-y-1 ps-5">
          <li>
            Nobody can start exports of{' '}
            {project.domains.length === 0 ? 'its domains' : project.domains.join(', ')}: no member, API key,
            webhook or schedule.
          </li>
          <li>The platform no longer serves its site and its previews.</li>
          <li>
            Its source, credentials, settings, domains, deployments, agent jobs, analytics and conversations
            are deleted. Deliveries to its webhook are refused.
          </li>
        </ul>
        <p>
          Finished exports remain until you delete them. Sites that you serve from a bundle on servers of your
          own keep working.
        </p>
      </div>
      <form
        className="mt-5 space-y-5"
        onSubmit={(event) => {
          event.preventDefault();
          if (isSure) remove.mutate();
        }}
      >
        <Field label={`Type the name to confirm: ${project.name}`}>
          {(control) => (
            <Input
              {...control}
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
              autoComplete="off"
              spellCheck={false}
            />
          )}
        </Field>
        {remove.error !== null && <Fault error={remove.error} title="The project was not deleted" />}
        <FormActions>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="danger" disabled={!isSure} busy={remove.isPending}>
            Delete project
          </Button>
        </FormActions>
      </form>
    </Dialog>
  );
}
