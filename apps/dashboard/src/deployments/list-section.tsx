import type { Deployment, Hosting, Project } from '@offprint/contract';
import { Link } from '@tanstack/react-router';
import { Rocket } from 'lucide-react';
import { useState } from 'react';
import { useOrganizationId } from '../path-params.ts';
import {
  Ago,
  Badge,
  Breakable,
  Button,
  ConfirmDialog,
  Empty,
  ExternalLink,
  Id,
  Listing,
  NONE,
  Section,
  Table,
  Time,
  useGate,
} from '../ui/index.ts';
import { ApproveDialog } from './approve-dialog.tsx';
import { isEnded, useDelete, type useDeployments, usePromote } from './data.ts';
import { Commit, DeploymentStatus, RequestedBy, titleOf } from './parts.tsx';
import { PreviewDialog } from './preview-dialog.tsx';

interface ListSectionProps {
  project: Project;
  hosting: Hosting;
  list: ReturnType<typeof useDeployments>;
}

/** Every deployment, with what can be done with it. */
export function ListSection({ project, hosting, list }: ListSectionProps) {
  const gate = useGate({ role: 'editor', plan: 'enterprise' });
  const [isCreating, setCreating] = useState(false);
  const [approved, setApproved] = useState<Deployment | null>(null);
  const [promoted, setPromoted] = useState<Deployment | null>(null);
  const [deleted, setDeleted] = useState<Deployment | null>(null);
  const canPreview = project.source.kind === 'git' && hosting.previews.domain !== null;
  return (
    <Section
      title="Deployments"
      description="Updates of the site and previews of branches, newest first."
      action={
        canPreview && (
          <Button look="quiet" reason={gate} onClick={() => setCreating(true)}>
            Create preview
          </Button>
        )
      }
    >
      <Listing
        list={list}
        fault="The deployments did not load"
        empty={
          <Empty icon={<Rocket />} title="No deployments yet">
            Each update of the site and each preview of a branch is listed here. You can go back to an earlier
            one at any time.
          </Empty>
        }
      >
        {(deployments) => (
          <DeploymentTable
            deployments={deployments}
            onApprove={setApproved}
            onPromote={setPromoted}
            onDelete={setDeleted}
          />
        )}
      </Listing>
      <PreviewDialog project={project} open={isCreating} onClose={() => setCreating(false)} />
      <ApproveDialog project={project} deployment={approved} onClose={() => setApproved(null)} />
      <PromoteDialog
        project={project}
        live={hosting.live}
        deployment={promoted}
        onClose={() => setPromoted(null)}
      />
      <DeleteDialog project={project} deployment={deleted} onClose={() => setDeleted(null)} />
    </Section>
  );
}

interface TableProps {
  deployments: readonly Deployment[];
  onApprove: (deployment: Deployment) => void;
  onPromote: (deployment: Deployment) => void;
  onDelete: (deployment: Deployment) => void;
}

function DeploymentTable({ deployments, onApprove, onPromote, onDelete }: TableProps) {
  const approval = useGate({ role: 'editor', plan: 'enterprise' });
  const reason = useGate({ role: 'editor' });
  return (
    <Table
      label="Deployments"
      rows={deployments}
      rowKey={({ id }) => id}
      columns={[
        { head: 'Commit', width: '34%', cell: (deployment) => <Name deployment={deployment} /> },
        {
          head: 'Status',
          width: '120px',
          cell: (deployment) => <DeploymentStatus deployment={deployment} />,
        },
        { head: 'Requested by', cell: (deployment) => <RequestedBy deployment={deployment} /> },
        {
          head: 'Digest',
          extra: true,
          cell: ({ sha256 }) => (sha256 === null ? NONE : <Id value={sha256} name="digest" short="start" />),
        },
        { head: 'Requested', align: 'end', cell: ({ createdAt }) => <Ago at={createdAt} /> },
        {
          head: '(Actions)',
          align: 'end',
          cell: (deployment) => (
            <span className="inline-flex flex-wrap justify-end gap-2">
              {deployment.status === 'waiting' && (
                <Button
                  size="small"
                  reason={approval}
                  aria-label={`Approve: ${titleOf(deployment)}`}
                  onClick={() => onApprove(deployment)}
                >
                  Approve
                </Button>
              )}
              {deployment.canPromote && (
                <Button
                  look="quiet"
                  size="small"
                  reason={reason}
                  aria-label={`Make live: ${titleOf(deployment)}`}
                  onClick={() => onPromote(deployment)}
                >
                  Make live
                </Button>
              )}
              {isEnded(deployment) && !(deployment.isLive && deployment.kind === 'production') && (
                <Button
                  look="plain"
                  size="small"
                  reason={reason}
                  aria-label={`Delete: ${titleOf(deployment)}`}
                  onClick={() => onDelete(deployment)}
                >
                  Delete
                </Button>
              )}
            </span>
          ),
        },
      ]}
    />
  );
}

function Name({ deployment }: { deployment: Deployment }) {
  const organizationId = useOrganizationId();
  const { kind, branch, url, jobId, error, expiresAt, fork, approvedBy, feedback } = deployment;
  return (
    <span className="block min-w-0 space-y-1">
      <Commit deployment={deployment} />
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1 text-muted text-xs">
        <Badge tone={kind === 'production' ? 'neutral' : 'info'}>
          {kind === 'production' ? 'Production' : 'Preview'}
        </Badge>
        {fork !== null && <Badge tone="warning">Fork</Badge>}
        {branch !== null && (
          <bdi className="[overflow-wrap:anywhere]">
            <Breakable text={branch} />
          </bdi>
        )}
        {jobId !== null && (
          <Link to="/$organizationId/exports/$jobId" params={{ organizationId, jobId }} className="link">
            Export
          </Link>
        )}
      </span>
      {kind === 'preview' && deployment.isLive && url !== null && (
        <span className="block text-xs [overflow-wrap:anywhere]">
          <ExternalLink href={url}>
            <Breakable text={new URL(url).host} />
          </ExternalLink>
          {expiresAt !== null && (
            <span className="text-muted">
              {' '}
              · deleted <Time at={expiresAt} />
            </span>
          )}
        </span>
      )}
      {approvedBy !== null && (
        <span className="block text-muted text-xs [overflow-wrap:anywhere]">
          Approved by <Breakable text={approvedBy} />
        </span>
      )}
      {error !== null && <span className="block text-danger text-xs [overflow-wrap:anywhere]">{error}</span>}
      {feedback !== null && feedback.error !== null && (
        <span className="block text-danger text-xs [overflow-wrap:anywhere]">
          {feedback.state === 'failed'
            ? 'The forge does not show the result: '
            : 'The forge was not informed yet and is tried again: '}
          {feedback.error}
        </span>
      )}
    </span>
  );
}

function PromoteDialog({
  project,
  live,
  deployment,
  onClose,
}: {
  project: Project;
  live: Deployment | null;
  deployment: Deployment | null;
  onClose: () => void;
}) {
  const promote = usePromote(project.id, live);
  const close = () => {
    promote.reset();
    onClose();
  };
  if (deployment === null) return null;
  const isOlder = live !== null && deployment.createdAt < live.createdAt;
  return (
    <ConfirmDialog
      open
      look="primary"
      title={`Make ${titleOf(deployment)} live?`}
      action={isOlder ? 'Roll back' : 'Make live'}
      busy={promote.isPending}
      error={promote.error}
      onClose={close}
      onConfirm={() => promote.mutate(deployment, { onSuccess: close })}
    >
      <p>
        Readers of {project.domains[0] ?? 'the site'} see this deployment at once
        {live !== null && <> instead of {titleOf(live)}</>}. Nothing is built.
      </p>
      <p>The next push or update of the site replaces it.</p>
    </ConfirmDialog>
  );
}

function DeleteDialog({
  project,
  deployment,
  onClose,
}: {
  project: Project;
  deployment: Deployment | null;
  onClose: () => void;
}) {
  const remove = useDelete(project.id);
  const close = () => {
    remove.reset();
    onClose();
  };
  if (deployment === null) return null;
  const isPreview = deployment.kind === 'preview' && deployment.isLive;
  return (
    <ConfirmDialog
      open
      title={
        isPreview ? `Delete the preview of ${deployment.branch ?? ''}?` : `Delete ${titleOf(deployment)}?`
      }
      action={isPreview ? 'Delete preview' : 'Delete deployment'}
      busy={remove.isPending}
      error={remove.error}
      onClose={close}
      onConfirm={() => remove.mutate(deployment, { onSuccess: close })}
    >
      <p>
        {isPreview
          ? 'Its URL stops working, and its exports are deleted.'
          : 'The site cannot go back to it. Its export is kept.'}
      </p>
    </ConfirmDialog>
  );
}
