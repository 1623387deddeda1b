import type { Hosting, Project } from '@offprint/contract';
import { Fault, Section, Switch, useGate } from '../ui/index.ts';
import { useUpdateHosting } from './data.ts';

/** What pushes deploy. */
export function HostingSection({ project, hosting }: { project: Project; hosting: Hosting }) {
  const reason = useGate({ role: 'editor' });
  const update = useUpdateHosting(project, hosting);
  const isDisabled = reason !== null || update.isPending;
  const shown = update.isPending ? { ...hosting, ...update.variables } : hosting;
  const { domain, days } = hosting.previews;
  const whyNot =
    project.source.kind !== 'git'
      ? 'Requires a Git repository as the source of the project.'
      : domain === null
        ? 'Previews have no domain. Add a wildcard such as *.previews.example.com in the tab Domains, or ask the operator to set OFFPRINT_PREVIEW_DOMAIN.'
        : null;
  return (
    <Section
      title="Pushes"
      description="What pushes and the schedule of the Automation tab do. They must be on there."
    >
      <div className="max-w-180 space-y-5">
        <Switch
          label="Update the site"
          help="Pushes to the published branch and scheduled times update the site. Off: they only start an export."
          checked={shown.enabled}
          disabled={isDisabled}
          onChange={({ target }) => update.mutate({ enabled: target.checked })}
        />
        <Switch
          label="Preview branches"
          help={
            whyNot ??
            `A push to another branch updates its preview. Commits of forks wait for approval. A preview is deleted with its branch, or ${days} days after its last update.`
          }
          checked={shown.previews?.enabled === true}
          disabled={isDisabled || (whyNot !== null && !hosting.previews.enabled)}
          onChange={({ target }) => update.mutate({ previews: { enabled: target.checked, days } })}
        />
        {update.error !== null && <Fault error={update.error} title="The hosting was not saved" />}
      </div>
    </Section>
  );
}
