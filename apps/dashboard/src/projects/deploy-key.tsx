import type { Project } from '@offprint/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import { Button, ConfirmDialog, CopyButton, Fault, Textarea, useGate } from '../ui/index.ts';
import { Connection, useConnectionTest } from './connection.tsx';
import { deployKeyPlace, forgeOf, hostOf } from './repository-address.ts';
import { draftOf } from './source-draft.ts';

/** Whether the server can generate the key of a project: its repository has an SSH URL. */
export function takesDeployKey({ source }: Project): boolean {
  return source.kind === 'git' && !source.repository.startsWith('https:');
}

/** Generates a key pair, keeps the private key on the server, and shows the public key and where to add it. */
export function DeployKey({ project }: { project: Project }) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const queries = useQueryClient();
  const reason = useGate({ role: 'editor' });
  const connection = useConnectionTest(project.id);
  const [isAsking, setAsking] = useState(false);
  const make = useMutation({
    mutationFn: () => api.createDeployKey(project.id),
    onSuccess: async () => {
      setAsking(false);
      await queries.invalidateQueries({ queryKey: [organizationId, 'projects'] });
    },
  });
  const { source } = project;
  if (source.kind !== 'git') return null;
  const draft = { ...draftOf(source), access: 'stored' as const };
  return (
    <div className="max-w-180 space-y-4">
      {make.data === undefined ? (
        <div className="flex flex-wrap items-center justify-between gap-4 rounded-card border p-4 text-sm">
          <p className="min-w-0 flex-1 basis-64 text-muted">
            The server creates a key pair and stores the private key. You add the public key on the forge.
          </p>
          <Button
            look="quiet"
            reason={reason}
            busy={make.isPending && !isAsking}
            onClick={() => (source.hasCredential ? setAsking(true) : make.mutate())}
          >
            Create deploy key
          </Button>
        </div>
      ) : (
        <>
          <Textarea
            aria-label="Public key"
            rows={2}
            readOnly
            value={make.data.publicKey}
            onFocus={({ target }) => target.select()}
            className="break-all font-mono text-[13px]"
          />
          <div className="flex flex-wrap items-center gap-3">
            <CopyButton text={make.data.publicKey} label="Copy public key" size="normal" />
            <p className="min-w-0 flex-1 basis-64 text-muted text-sm">
              Add it {deployKeyPlace(forgeOf(hostOf(source.repository)))}, then test the connection.
            </p>
          </div>
          <Connection
            connection={connection}
            draft={draft}
            onRun={() => connection.run(draft)}
            onPick={null}
          />
        </>
      )}
      {make.error !== null && !isAsking && (
        <Fault error={make.error} title="The deploy key was not created" />
      )}
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title="Replace the credential with a new key?"
        action="Create deploy key"
        busy={make.isPending}
        error={make.error}
        onConfirm={() => make.mutate()}
      >
        <p>The stored credential is removed. Exports fail until you add the new public key on the forge.</p>
      </ConfirmDialog>
    </div>
  );
}
