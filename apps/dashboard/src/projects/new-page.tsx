import type { CreateProjectBody, DeploymentType, Project } from '@offprint/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { useApi } from '../api.ts';
import { useOrganizationId } from '../path-params.ts';
import { Button, Card, Field, Form, Input, PageHeader, RadioCards, RoleGate, useGate } from '../ui/index.ts';
import { Connection, nameFromAddress, rereadTree, useConnectionTest } from './connection.tsx';
import { hasFailedStep } from './connection-steps.tsx';
import { placeholderDomain } from './domain-input.ts';
import { DomainsField, useDomains } from './domains-field.tsx';
import { Dropzone } from './dropzone.tsx';
import { DEPLOYMENT_TYPES } from './features.ts';
import { FirstExport } from './first-export.tsx';
import { GitFields } from './git-fields.tsx';
import { draftFaults, EMPTY_DRAFT, type GitDraft, sourceInput } from './source-draft.ts';
import { type Picked, useUpload } from './upload.ts';
import { PickedLine, UploadProgress } from './upload-progress.tsx';

type Kind = 'git' | 'upload' | 'starter';

const KINDS: { value: Kind; label: string; help: string }[] = [
  {
    value: 'git',
    label: 'Git repository',
    help: 'Exports use a branch. Agent jobs open pull requests.',
  },
  {
    value: 'upload',
    label: 'Upload',
    help: 'A folder or an archive from this computer, for docs without Git.',
  },
  {
    value: 'starter',
    label: 'Starter site',
    help: 'A small example site. You can replace it with your docs later.',
  },
];

export function Page() {
  const organizationId = useOrganizationId();
  const [created, setCreated] = useState<Project | null>(null);
  const isEditor = useGate({ role: 'editor' }) === null;
  if (created !== null) return <FirstExport project={created} />;
  return (
    <>
      <PageHeader
        title="New project"
        back={
          <Link to="/$organizationId/projects" params={{ organizationId }} className="link">
            Projects
          </Link>
        }
        description="Choose the docs source, a name and a domain. You can change everything later."
      />
      <RoleGate role="editor" act="Creating projects" />
      {isEditor && <NewProject onDone={setCreated} />}
    </>
  );
}

function NewProject({ onDone }: { onDone: (project: Project) => void }) {
  const api = useApi();
  const organizationId = useOrganizationId();
  const queries = useQueryClient();
  const connection = useConnectionTest();
  const { state: uploadState, upload } = useUpload(api);
  const form = useRef<HTMLDivElement>(null);
  const [kind, setKind] = useState<Kind>('git');
  const [draft, setDraft] = useState<GitDraft>(EMPTY_DRAFT);
  const [faults, setFaults] = useState<Partial<Record<keyof GitDraft, string>>>({});
  const [picked, setPicked] = useState<Picked | null>(null);
  const [pickFault, setPickFault] = useState<string | null>(null);
  const [typedName, setTypedName] = useState<string | null>(null);
  const [deploymentType, setDeploymentType] = useState<DeploymentType>('cloud');
  const [uploadTo, setUploadTo] = useState<Project | null>(null);
  const domains = useDomains([]);

  const found = connection.test;
  const name = typedName ?? suggestedName(kind, draft, found?.siteName ?? null, picked);
  const [nameFault, setNameFault] = useState<string | null>(null);
  const isTried = found !== undefined && connection.tested === draft;

  const create = useMutation({
    mutationFn: (body: CreateProjectBody) => api.createProject(body),
    onSuccess: async (project) => {
      await queries.invalidateQueries({ queryKey: [organizationId, 'projects'] });
      if (kind === 'upload' && picked !== null) await send(project, picked);
      else onDone(project);
    },
  });

  async function send(project: Project, docs: Picked) {
    setUploadTo(project);
    if ((await upload(project.id, docs)) !== null) onDone(project);
  }

  function change(next: GitDraft) {
    setDraft(next);
    setFaults({});
    create.reset();
  }

  /** Tries the source; `then` unless a step failed. */
  function tryOut(then?: () => void) {
    const wrong = draftFaults(draft);
    setFaults(wrong);
    if (Object.keys(wrong).length > 0) return focusFault();
    connection.run(draft, (test) => {
      const reread = rereadTree(draft, test);
      if (reread !== null) {
        const again = { ...draft, ...reread };
        setDraft(again);
        connection.run(again, (second) => !hasFailedStep(second) && then?.());
      } else if (!hasFailedStep(test)) then?.();
    });
  }

  function focusFault() {
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus());
  }

  function submit(isSure = false) {
    const listed = domains.commit();
    const noName = name.trim() === '';
    setNameFault(noName ? 'Give the project a name.' : null);
    if (kind === 'upload' && picked === null) setPickFault('Choose a folder or archive first.');
    const wrong = kind === 'git' ? draftFaults(draft) : {};
    setFaults(wrong);
    if (Object.keys(wrong).length > 0 || listed === null || noName) return focusFault();
    if (kind === 'upload' && picked === null) return;
    const send = (source: CreateProjectBody['source']) =>
      create.mutate({ name: name.trim(), source, domains: [...listed], deploymentType });
    if (kind === 'upload') send({ kind: 'upload' });
    else if (kind === 'starter') send({ kind: 'upload', starter: true });
    else if (isSure || draft.access === 'made-key' || (isTried && !hasFailedStep(found)))
      send(newSource(draft));
    else tryOut(() => send(newSource(draft)));
  }

  if (uploadTo !== null)
    return (
      <Card className="max-w-160 space-y-4">
        <p className="font-medium">{uploadTo.name}</p>
        {picked !== null && <PickedLine picked={picked} />}
        <UploadProgress state={uploadState} retry={() => picked !== null && void send(uploadTo, picked)} />
        {uploadState.step === 'failed' && (
          <Link
            to="/$organizationId/projects/$projectId"
            params={{ organizationId, projectId: uploadTo.id }}
            search={{ tab: 'source' }}
            className="link text-sm"
          >
            Open the project and upload another archive
          </Link>
        )}
      </Card>
    );

  const hasFailed = kind === 'git' && isTried && hasFailedStep(found) && !connection.isPending;
  return (
    <div ref={form}>
      <Form error={create.error} onSubmit={() => submit()} className="max-w-180">
        <ol className="space-y-0">
          <Step number={1} title="Where are the docs?">
            <RadioCards<Kind> label="Source" name="kind" value={kind} onChange={setKind} options={KINDS} />
          </Step>
          <Step
            number={2}
            title={kind === 'git' ? 'Repository' : kind === 'upload' ? 'Folder or archive' : 'Starter site'}
          >
            {kind === 'git' && (
              <div className="space-y-5">
                <GitFields
                  draft={draft}
                  onChange={change}
                  faults={faults}
                  makesKey
                  branches={found?.branches ?? []}
                  folders={found?.folders ?? []}
                />
                {draft.access !== 'made-key' && (
                  <Connection
                    connection={connection}
                    draft={draft}
                    onRun={() => tryOut()}
                    onPick={(picks) => change({ ...draft, ...picks })}
                  />
                )}
              </div>
            )}
            {kind === 'upload' && (
              <div className="space-y-3">
                {picked === null ? (
                  <Dropzone
                    onPick={(next) => {
                      setPicked(next);
                      setPickFault(null);
                    }}
                    onFault={setPickFault}
                  />
                ) : (
                  <PickedLine picked={picked} onClear={() => setPicked(null)} />
                )}
                {pickFault !== null && (
                  <p role="alert" className="text-danger text-sm">
                    {pickFault}
                  </p>
                )}
                <p className="text-muted text-sm">
                  Your browser packs the folder that contains docs.json, without .git, node_modules and .env
                  files.
                </p>
              </div>
            )}
            {kind === 'starter' && (
              <p className="text-muted text-sm">
                The project starts with a few pages that show components, code and navigation. You can replace
                them with an upload or a repository at any time.
              </p>
            )}
          </Step>
          <Step number={3} title="Name, domain and deployment" isLast>
            <div className="space-y-5">
              <Field
                label="Name"
                param="/name"
                error={name.trim() === '' ? nameFault : null}
                help="Shown in lists and in the audit log."
              >
                {(control) => (
                  <Input
                    {...control}
                    value={name}
                    maxLength={200}
                    onChange={({ target }) => {
                      setTypedName(target.value);
                      setNameFault(null);
                    }}
                    autoComplete="off"
                  />
                )}
              </Field>
              <DomainsField
                field={domains}
                optional
                help={
                  <>
                    The host name of the site. The API, canonical links and the sitemap use it. An export does
                    not need DNS.
                    {domains.domains.length === 0 && domains.text === '' && name.trim() !== '' && (
                      <>
                        {' '}
                        None yet?{' '}
                        <button
                          type="button"
                          className="link"
                          onClick={() => domains.commit(placeholderDomain(name))}
                        >
                          Use {placeholderDomain(name)}
                        </button>
                        .
                      </>
                    )}
                  </>
                }
              />
              <RadioCards<DeploymentType>
                label="Where will the site run?"
                name="deploymentType"
                value={deploymentType}
                onChange={setDeploymentType}
                options={DEPLOYMENT_TYPES.map(({ value, label, text }) => ({ value, label, help: text }))}
              />
              <div className="flex flex-wrap items-center justify-end gap-3 border-t pt-5">
                {hasFailed && (
                  <>
                    <p className="text-muted text-sm">The connection test failed.</p>
                    <Button look="quiet" busy={create.isPending} onClick={() => submit(true)}>
                      Create anyway
                    </Button>
                  </>
                )}
                <Button type="submit" busy={create.isPending || connection.isPending}>
                  Create project
                </Button>
              </div>
            </div>
          </Step>
        </ol>
      </Form>
    </div>
  );
}

/** A new project has no credential to remove, so none is sent. */
function newSource(draft: GitDraft): CreateProjectBody['source'] {
  const { credential, ...source } = sourceInput(draft);
  return credential === null || credential === undefined ? source : { ...source, credential };
}

function suggestedName(kind: Kind, draft: GitDraft, siteName: string | null, picked: Picked | null): string {
  if (kind === 'starter') return 'Starter site';
  if (kind === 'upload') return picked === null ? '' : picked.name.replace(/\.(tar\.gz|tgz)$/i, '');
  return siteName ?? nameFromAddress(draft.address);
}

function Step({
  number,
  title,
  isLast = false,
  children,
}: {
  number: number;
  title: string;
  isLast?: boolean;
  children: ReactNode;
}) {
  return (
    <li className="relative pb-10 last:pb-0 sm:ps-12">
      {!isLast && (
        <span
          aria-hidden="true"
          className="absolute start-3.5 top-9 bottom-1 hidden w-px bg-border sm:block"
        />
      )}
      <h2 className="mb-4 flex items-center gap-3 font-semibold text-lg leading-7">
        <span
          aria-hidden="true"
          className="grid size-7 flex-none place-items-center rounded-full border border-border-strong text-muted text-sm sm:absolute sm:start-0"
        >
          {number}
        </span>
        {title}
      </h2>
      {children}
    </li>
  );
}
