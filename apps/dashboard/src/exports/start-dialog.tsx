import type { StartExportBody } from '@offprint/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import { useAllProjects } from '../projects/all.ts';
import {
  Button,
  Checkbox,
  Dialog,
  Fault,
  Field,
  Form,
  FormActions,
  Input,
  Notice,
  Select,
  Skeleton,
  Textarea,
} from '../ui/index.ts';
import { EMPTY_EXPORT_FORM, type ExportField, type ExportForm, readExportForm } from './form.ts';
import { exportKeys } from './live.ts';

interface StartDialogProps {
  open: boolean;
  onClose: () => void;
  /** What is filled in at first. */
  initial?: Partial<ExportForm>;
}

/** Asks what to export, starts the export and opens its page. */
export function StartDialog({ open, onClose, initial = {} }: StartDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Start export"
      description="Renders the site of a domain and packs it into one archive."
    >
      <StartForm initial={initial} onClose={onClose} />
    </Dialog>
  );
}

function StartForm({ initial, onClose }: { initial: Partial<ExportForm>; onClose: () => void }) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const projects = useAllProjects();
  const [errors, setErrors] = useState<Partial<Record<ExportField, string>>>({});
  const start = useMutation({
    mutationFn: (body: StartExportBody) => api.startExport(body),
    onSuccess: async (job) => {
      queries.setQueryData(exportKeys.one(organizationId, job.jobId), job);
      void queries.invalidateQueries({ queryKey: exportKeys.lists(organizationId) });
      onClose();
      await navigate({
        to: '/$organizationId/exports/$jobId',
        params: { organizationId, jobId: job.jobId },
      });
    },
  });
  useEffect(() => {
    if (Object.keys(errors).length > 0)
      document.querySelector<HTMLElement>('dialog [aria-invalid="true"]')?.focus();
  }, [errors]);
  if (projects.error !== null && projects.data === undefined) {
    return (
      <Fault error={projects.error} title="The domains did not load" retry={() => void projects.refetch()} />
    );
  }
  if (projects.data === undefined) return <Skeleton shape="line" count={4} />;
  const domains = projects.data.flatMap((project) =>
    project.domains.map((domain) => ({ domain, name: project.name })),
  );
  if (domains.length === 0) {
    return (
      <Notice title="No project has a domain yet">
        Each export is for a domain.{' '}
        <Link to="/$organizationId/projects" params={{ organizationId }} className="link">
          Add a domain to a project
        </Link>{' '}
        first.
      </Notice>
    );
  }
  const submit = (values: FormData) => {
    const text = (name: string) => String(values.get(name) ?? '');
    const result = readExportForm({
      domain: text('domain'),
      version: text('version'),
      ref: text('ref'),
      paths: text('paths'),
      includeUnlisted: values.get('includeUnlisted') !== null,
      groups: text('groups'),
    });
    setErrors(result.errors ?? {});
    if (result.body !== null) start.mutate(result.body);
  };
  const form = { ...EMPTY_EXPORT_FORM, ...initial };
  const error = (field: ExportField) => errors[field] ?? null;
  return (
    <Form error={start.error} onSubmit={submit}>
      <Field label="Domain" param="/domain" error={error('domain')}>
        {(control) => (
          <Select {...control} name="domain" defaultValue={form.domain || domains[0]?.domain}>
            {domains.map(({ domain, name }) => (
              <option key={domain} value={domain}>
                {domain} ({name})
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field
        label="Version label"
        optional
        param="/version"
        error={error('version')}
        help="The label that deployments pin. Default: the first 12 characters of the commit, or of the digest of the files."
      >
        {(control) => (
          <Input
            {...control}
            name="version"
            defaultValue={form.version}
            placeholder="2026-06-01"
            spellCheck={false}
          />
        )}
      </Field>
      <Field
        label="Branch, tag or commit"
        optional
        param="/source/ref"
        error={error('ref')}
        help="Default: the published branch. For Git sources only."
      >
        {(control) => (
          <Input
            {...control}
            name="ref"
            defaultValue={form.ref}
            placeholder="main"
            spellCheck={false}
            autoCapitalize="off"
          />
        )}
      </Field>
      <Field
        label="Paths"
        optional
        param="/paths"
        error={error('paths')}
        help="One path per line. Default: all published pages."
      >
        {(control) => (
          <Textarea
            {...control}
            name="paths"
            rows={3}
            defaultValue={form.paths}
            placeholder={'index\nguides/getting-started'}
            spellCheck={false}
            className="font-mono text-sm"
          />
        )}
      </Field>
      <details open={errors.groups !== undefined || undefined} className="group">
        <summary className="w-fit rounded-control font-medium text-sm">More options</summary>
        <div className="mt-4 space-y-5">
          <Checkbox
            name="includeUnlisted"
            defaultChecked={form.includeUnlisted}
            label="Include pages that are not in the navigation"
          />
          <Field
            label="Groups"
            optional
            param="/options/groups"
            error={error('groups')}
            help="Includes pages restricted to these groups. Separate them with commas."
          >
            {(control) => (
              <Input {...control} name="groups" defaultValue={form.groups} placeholder="staff, partners" />
            )}
          </Field>
        </div>
      </details>
      <FormActions>
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" busy={start.isPending}>
          Start export
        </Button>
      </FormActions>
    </Form>
  );
}
