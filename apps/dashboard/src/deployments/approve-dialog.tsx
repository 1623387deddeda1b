import type { Deployment, Project } from '@offprint/contract';
import { ConfirmDialog } from '../ui/index.ts';
import { useApprove } from './data.ts';
import { titleOf } from './parts.tsx';

/** Asks before a commit of a fork is exported: anyone can create a pull request. */
export function ApproveDialog({
  project,
  deployment,
  onClose,
}: {
  project: Project;
  deployment: Deployment | null;
  onClose: () => void;
}) {
  const approve = useApprove(project.id);
  const close = () => {
    approve.reset();
    onClose();
  };
  if (deployment === null) return null;
  return (
    <ConfirmDialog
      open
      look="primary"
      title={`Approve ${titleOf(deployment)}?`}
      action="Approve and preview"
      busy={approve.isPending}
      error={approve.error}
      onClose={close}
      onConfirm={() => approve.mutate(deployment, { onSuccess: close })}
    >
      <p>
        The commit is of the fork {deployment.fork ?? ''}, requested by {deployment.createdBy}. Review its
        changes first: the preview shows them with their scripts to everyone who can read previews.
      </p>
      <p>The approval is for this commit only. Another commit waits for another approval.</p>
    </ConfirmDialog>
  );
}
