import type { Deployment, Hosting, Project } from '@offprint/contract';
import { Globe } from 'lucide-react';
import {
  Breakable,
  Button,
  Empty,
  ExactTime,
  ExternalLink,
  Facts,
  Fault,
  Id,
  Section,
  Time,
  useGate,
} from '../ui/index.ts';
import { useUpdateSite } from './data.ts';
import { Commit } from './parts.tsx';

/** What is live: where, from which commit, by whom and since when. */
export function LiveSection({ project, hosting }: { project: Project; hosting: Hosting }) {
  const gate = useGate({ role: 'editor', plan: 'enterprise' });
  const update = useUpdateSite(project.id);
  const isEmpty = project.source.kind === 'upload' && project.source.sha256 === null;
  const reason =
    gate ??
    (project.domains.length === 0
      ? 'Add a domain in the tab Domains first.'
      : isEmpty
        ? 'Upload the docs first.'
        : null);
  const action = (
    <Button reason={reason} busy={update.isPending} onClick={() => update.mutate(undefined)}>
      Update site
    </Button>
  );
  const { live } = hosting;
  return (
    <Section
      title="Live"
      description="What readers see on the domains of the project."
      action={live === null ? undefined : action}
    >
      {update.error !== null && (
        <div className="mb-4">
          <Fault error={update.error} title="The update was not queued" />
        </div>
      )}
      {live === null ? (
        <Empty icon={<Globe />} title="Nothing is live yet" action={action}>
          An update exports the published branch and serves it on the domains of the project. If an update
          fails, the site stays as it is.
        </Empty>
      ) : (
        <LiveFacts live={live} hosting={hosting} />
      )}
    </Section>
  );
}

function LiveFacts({ live, hosting }: { live: Deployment; hosting: Hosting }) {
  const served = hosting.hosts.filter(({ redirectTo }) => redirectTo === null);
  const path = live.url === null ? '' : new URL(live.url).pathname.replace(/\/$/, '');
  return (
    <Facts
      facts={[
        [
          'URL',
          served.length === 0 ? (
            'No domain serves the site. Add and verify one in the tab Domains.'
          ) : (
            <ul key="urls" className="space-y-1">
              {served.map(({ host }) => (
                <li key={host}>
                  <ExternalLink href={`https://${host}${path}`}>
                    <Breakable text={host + path} />
                  </ExternalLink>
                </li>
              ))}
            </ul>
          ),
        ],
        ['Commit', <Commit key="commit" deployment={live} />],
        ['Made live by', <Breakable key="by" text={live.liveBy ?? live.createdBy} />],
        [
          'Since',
          live.liveSince === null ? (
            '–'
          ) : (
            <span key="since">
              <ExactTime at={live.liveSince} />{' '}
              <span className="text-muted">
                (<Time at={live.liveSince} />)
              </span>
            </span>
          ),
        ],
        [
          'Digest',
          live.sha256 === null ? '–' : <Id key="digest" value={live.sha256} name="digest" short="start" />,
        ],
      ]}
    />
  );
}
