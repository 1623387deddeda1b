import type { Project } from '@offprint/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import {
  Button,
  ConfirmDialog,
  Facts,
  Form,
  FormActions,
  Id,
  RadioCards,
  RoleGate,
  Section,
  useGate,
} from '../ui/index.ts';
import { Connection, useConnectionTest } from './connection.tsx';
import { useUpdateProject } from './data.ts';
import { DeployKey, takesDeployKey } from './deploy-key.tsx';
import { Dropzone } from './dropzone.tsx';
import { GitFields } from './git-fields.tsx';
import { draftFaults, draftOf, EMPTY_DRAFT, type GitDraft, sourceInput } from './source-draft.ts';
import { SourceLine } from './source-line.tsx';
import { type Picked, useUpload } from './upload.ts';
import { PickedLine, UploadProgress } from './upload-progress.tsx';

type Kind = 'git' | 'upload';

export function SourceTab({ project }: { project: Project }) {
  const reason = useGate({ role: 'editor' });
  const { source } = project;
  const [kind, setKind] = useState<Kind>(source.kind === 'git' ? 'git' : 'upload');
  if (reason !== null || source.kind === 'folder')
    return (
      <>
        <RoleGate role="editor" act="Changing the source" />
        <SourceFacts project={project} />
      </>
    );
  return (
    <>
      <Section
        title="Source"
        description="Where the docs are. Running exports and agent jobs continue with the previous source."
      >
        <div className="max-w-180">
          <RadioCards<Kind>
            label="Source"
            name="kind"
            value={kind}
            onChange={setKind}
            columns={2}
            options={[
              { value: 'git', label: 'Git repository', help: 'Exports use a branch.' },
              { value: 'upload', label: 'Upload', help: 'A folder or an archive from this computer.' },
            ]}
          />
        </div>
      </Section>
      {/* what is stored is the beginning of the form again after a change */}
      {kind === 'git' ? (
        <>
          <GitSource key={JSON.stringify(source)} project={project} />
          {takesDeployKey(project) && (
            <Section title="Generated deploy key">
              <DeployKey project={project} />
            </Section>
          )}
        </>
      ) : (
        <UploadSource project={project} />
      )}
    </>
  );
}

function SourceFacts({ project }: { project: Project }) {
  const { source } = project;
  return (
    <Section title="Source">
      <Facts
        facts={[
          ['Source', <SourceLine key="source" source={source} />],
          ...(source.kind === 'git'
            ? ([
                ['URL', <Id key="url" value={source.repository} name="repository URL" />],
                ['Credential', source.hasCredential ? 'Stored, never shown' : 'None'],
              ] as const)
            : []),
          ...(source.kind === 'upload' && source.sha256 !== null
            ? ([['Archive SHA-256', <Id key="sha" value={source.sha256} name="digest" />]] as const)
            : []),
        ]}
      />
    </Section>
  );
}

function GitSource({ project }: { project: Project }) {
  const { source } = project;
  const connection = useConnectionTest(project.id);
  const update = useUpdateProject(project.id, 'Source saved.');
  const form = useRef<HTMLDivElement>(null);
  const [draft, setDraft] = useState<GitDraft>(source.kind === 'git' ? draftOf(source) : EMPTY_DRAFT);
  const [faults, setFaults] = useState<Partial<Record<keyof GitDraft, string>>>({});
  const [isAsking, setAsking] = useState(false);
  const hasStored = source.kind === 'git' && source.hasCredential;
  const movesAway = source.kind === 'git' && sourceInput(draft).repository !== source.repository;

  function change(next: GitDraft) {
    setDraft(next);
    setFaults({});
    update.reset();
  }
  function isWrong(): boolean {
    const wrong = draftFaults(draft);
    setFaults(wrong);
    const found = Object.keys(wrong).length > 0;
    if (found)
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus());
    return found;
  }
  const save = () => update.mutate({ source: sourceInput(draft) }, { onSuccess: () => setAsking(false) });

  return (
    <div ref={form} className="mt-8 max-w-180">
      <Form
        error={isAsking ? null : update.error}
        onSubmit={() => {
          if (isWrong()) return;
          if (source.kind === 'git') save();
          else setAsking(true);
        }}
      >
        <GitFields
          draft={draft}
          onChange={change}
          faults={faults}
          hasStored={hasStored}
          branches={connection.test?.branches ?? []}
          folders={connection.test?.folders ?? []}
        />
        {movesAway && draft.access === 'stored' && (
          <p role="note" className="text-sm text-warning">
            If you change the repository, the stored credential is removed because it belongs to the previous
            one.
          </p>
        )}
        <Connection
          connection={connection}
          draft={draft}
          onRun={() => {
            if (!isWrong()) connection.run(draft);
          }}
          onPick={(picks) => change({ ...draft, ...picks })}
        />
        <FormActions>
          <Button type="submit" busy={update.isPending}>
            Save source
          </Button>
        </FormActions>
      </Form>
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title="Use a Git repository as source?"
        action="Use repository"
        look="primary"
        busy={update.isPending}
        error={update.error}
        onConfirm={save}
      >
        <p>The uploaded archive is no longer used. Finished exports remain.</p>
      </ConfirmDialog>
    </div>
  );
}

function UploadSource({ project }: { project: Project }) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const queries = useQueryClient();
  const { state, upload, reset } = useUpload(api);
  const update = useUpdateProject(project.id, 'The project now uses uploads.');
  const [picked, setPicked] = useState<Picked | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const { source } = project;
  const isBusy = state.step === 'packing' || state.step === 'sending';

  async function send(docs: Picked) {
    if ((await upload(project.id, docs)) === null) return;
    setPicked(null);
    await queries.invalidateQueries({ queryKey: [organizationId, 'projects'] });
  }
  function start(docs: Picked) {
    if (source.kind === 'upload') void send(docs);
    else setAsking(true);
  }

  return (
    <div className="mt-8 max-w-180 space-y-4">
      {source.kind === 'upload' && (
        <Facts
          facts={[
            [
              'Last uploaded archive',
              source.sha256 === null ? 'None yet' : <Id key="sha" value={source.sha256} name="digest" />,
            ],
          ]}
        />
      )}
      {picked === null ? (
        <Dropzone
          onPick={(docs) => {
            setPicked(docs);
            setFault(null);
            reset();
          }}
          onFault={setFault}
        />
      ) : (
        <PickedLine picked={picked} {...(isBusy ? {} : { onClear: () => setPicked(null) })} />
      )}
      {fault !== null && (
        <p role="alert" className="text-danger text-sm">
          {fault}
        </p>
      )}
      <UploadProgress state={state} />
      {picked !== null && (
        <FormActions>
          <Button busy={isBusy} onClick={() => start(picked)}>
            {source.kind === 'upload' && source.sha256 !== null ? 'Replace docs' : 'Upload'}
          </Button>
        </FormActions>
      )}
      <p className="text-muted text-sm">
        An upload replaces all docs. Your browser packs the folder that contains docs.json, without .git,
        node_modules and .env files.
      </p>
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title="Use uploads as source?"
        action="Use uploads"
        busy={update.isPending}
        error={update.error}
        onConfirm={() =>
          update.mutate(
            { source: { kind: 'upload' } },
            {
              onSuccess: () => {
                setAsking(false);
                if (picked !== null) void send(picked);
              },
            },
          )
        }
      >
        <p>
          The repository settings and the credential are deleted. Pushes no longer start exports, and agent
          jobs cannot open pull requests. Finished exports remain.
        </p>
      </ConfirmDialog>
    </div>
  );
}
