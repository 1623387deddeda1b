import type { Project } from '@offprint/contract';
import { useState } from 'react';
import {
  Button,
  ConfirmDialog,
  Field,
  Form,
  FormActions,
  Input,
  RoleGate,
  Section,
  useGate,
} from '../ui/index.ts';
import { useUpdateProject } from './data.ts';
import { DomainsField, useDomains } from './domains-field.tsx';
import { SiteDomainsSection } from './site-domains-section.tsx';

export function DomainsTab({ project }: { project: Project }) {
  return (
    <>
      <SiteDomainsSection project={project} />
      <BasePathSection project={project} />
      <ExportNamesSection key={project.domains.join()} project={project} />
    </>
  );
}

function BasePathSection({ project }: { project: Project }) {
  const reason = useGate({ role: 'editor' });
  const update = useUpdateProject(project.id, 'Base path saved. The next export uses it.');
  return (
    <Section title="Base path">
      <Form
        error={update.error}
        onSubmit={(values) => update.mutate({ basePath: String(values.get('basePath')).trim() })}
        className="max-w-160"
      >
        <Field
          label="Path where the site is served"
          param="/basePath"
          help="For example, /docs. Leave empty for the root. Canonical links, the sitemap, llms.txt and the 404 page use it. Configure the same path on your host or site server."
        >
          {(control) => (
            <Input
              {...control}
              key={project.basePath}
              name="basePath"
              maxLength={200}
              placeholder="/"
              defaultValue={project.basePath}
              readOnly={reason !== null}
              autoComplete="off"
              spellCheck={false}
            />
          )}
        </Field>
        <FormActions>
          <Button type="submit" reason={reason} busy={update.isPending}>
            Save base path
          </Button>
        </FormActions>
      </Form>
    </Section>
  );
}

function ExportNamesSection({ project }: { project: Project }) {
  const reason = useGate({ role: 'editor' });
  const field = useDomains(project.domains);
  const update = useUpdateProject(project.id, 'Names saved.');
  const [removed, setRemoved] = useState<{ domains: readonly string[]; gone: string[] } | null>(null);
  const isSame = field.text.trim() === '' && field.domains.join() === project.domains.join();

  function save(domains: readonly string[]) {
    update.mutate({ domains: [...domains] }, { onSuccess: () => setRemoved(null) });
  }
  function submit() {
    const domains = field.commit();
    if (domains === null) return;
    const gone = project.domains.filter((domain) => !domains.includes(domain));
    if (gone.length > 0) setRemoved({ domains, gone });
    else save(domains);
  }

  return (
    <Section
      title="Names of exports"
      description="Each export is for one of these host names. Domains on which this installation serves the site are added by themselves; add others only to publish exports on other hosts."
    >
      <RoleGate role="editor" act="Changing domains" />
      <Form error={removed === null ? update.error : null} onSubmit={submit} className="max-w-160">
        <DomainsField
          field={field}
          disabled={reason !== null}
          help="Only the host name, without https://, port or path. Canonical links and the sitemap use it. An export needs no DNS record and no verification."
        />
        {reason !== null && project.domains.length === 0 && <p className="text-muted text-sm">None yet.</p>}
        {reason === null && (
          <FormActions>
            {!isSame && (
              <Button look="quiet" onClick={() => field.reset(project.domains)}>
                Discard
              </Button>
            )}
            <Button type="submit" disabled={isSame} busy={update.isPending && removed === null}>
              Save names
            </Button>
          </FormActions>
        )}
      </Form>
      <ConfirmDialog
        open={removed !== null}
        onClose={() => setRemoved(null)}
        title={removed?.gone.length === 1 ? `Remove ${removed.gone[0]}?` : 'Remove domains?'}
        action="Remove and save"
        busy={update.isPending}
        error={update.error}
        onConfirm={() => removed !== null && save(removed.domains)}
      >
        <p>
          You can no longer start exports of {removed?.gone.join(', ')}, and automation that exports it stops.
          Finished exports remain, and deployments that follow the domain keep the newest one. Another project
          can use the name.
        </p>
      </ConfirmDialog>
    </Section>
  );
}
