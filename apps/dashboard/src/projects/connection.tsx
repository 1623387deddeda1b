import type { ConnectionTest } from '@offprint/contract';
import { useMutation } from '@tanstack/react-query';
import { PlugZap } from 'lucide-react';
import { useApi } from '../api.ts';
import { Button, count, Fault, Field, Select, upperFirst } from '../ui/index.ts';
import { ConnectionSteps, hasFailedStep } from './connection-steps.tsx';
import { parseRepositoryAddress, splitTree } from './repository-address.ts';
import { type GitDraft, sourceInput } from './source-draft.ts';

/** Tests the source in a form. Results of an older state of the form are not shown. */
export function useConnectionTest(projectId?: string) {
  const api = useApi();
  const mutation = useMutation({
    mutationFn: ({ draft }: { draft: GitDraft }) =>
      api.testConnection({ source: sourceInput(draft), ...(projectId === undefined ? {} : { projectId }) }),
  });
  return {
    run: (draft: GitDraft, onDone?: (test: ConnectionTest) => void) =>
      mutation.mutate({ draft }, onDone === undefined ? {} : { onSuccess: onDone }),
    reset: mutation.reset,
    isPending: mutation.isPending,
    test: mutation.data,
    tested: mutation.variables?.draft,
    error: mutation.error,
  };
}

interface ConnectionProps {
  connection: ReturnType<typeof useConnectionTest>;
  draft: GitDraft;
  onRun: () => void;
  /** Takes a branch or folder into the form; null: there is no form. */
  onPick: ((change: Partial<GitDraft>) => void) | null;
}

/** The button that tries the source, and what came of it. */
export function Connection({ connection, draft, onRun, onPick }: ConnectionProps) {
  const { test, tested, isPending, error } = connection;
  const isStale =
    tested !== undefined && JSON.stringify(sourceInput(tested)) !== JSON.stringify(sourceInput(draft));
  return (
    <div className="rounded-card border bg-raised p-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-muted text-sm">
          {test === undefined || isPending
            ? 'The test checks the URL, the sign-in, the branch and the folder. Nothing is stored.'
            : isStale
              ? 'The source changed after this test.'
              : test.ok
                ? `Connected${test.pages === null ? '' : `: ${count(test.pages, 'page')} found`}.`
                : hasFailedStep(test)
                  ? 'Not connected yet.'
                  : 'Not everything was checked. Test again, or continue without it.'}
        </p>
        <Button look="quiet" busy={isPending} onClick={onRun}>
          <PlugZap aria-hidden="true" className="size-4" />
          Test connection
        </Button>
      </div>
      <div aria-live="polite">
        {(isPending || test !== undefined) && error === null && (
          <div className={`mt-4 ${isStale && !isPending ? 'opacity-60' : ''}`}>
            <ConnectionSteps test={test} isPending={isPending} />
          </div>
        )}
      </div>
      {error !== null && !isPending && (
        <div className="mt-4">
          <Fault error={error} title="The test did not run" />
        </div>
      )}
      {test !== undefined && !isPending && onPick !== null && (
        <Found test={test} draft={draft} onPick={onPick} />
      )}
    </div>
  );
}

/** Branches and docs folders of the repository, to be picked when those in the form are not right. */
function Found({
  test,
  draft,
  onPick,
}: {
  test: ConnectionTest;
  draft: GitDraft;
  onPick: (change: Partial<GitDraft>) => void;
}) {
  const failed = test.steps.find(({ outcome }) => outcome === 'failed')?.name;
  const branches = failed === 'branch' ? test.branches : [];
  const others = test.folders.filter((folder) => folder !== draft.folder.trim());
  const folders = failed === 'folder' || failed === 'config' ? others : [];
  if (branches.length === 0 && folders.length === 0) return null;
  return (
    <div className="mt-4 grid gap-3 border-t pt-4 sm:grid-cols-2">
      {branches.length > 0 && (
        <Field label="Pick a branch">
          {(control) => (
            <Select {...control} value="" onChange={({ target }) => onPick({ branch: target.value })}>
              <option value="">{count(branches.length, 'branch', 'branches')} found</option>
              {branches.map((branch) => (
                <option key={branch}>{branch}</option>
              ))}
            </Select>
          )}
        </Field>
      )}
      {folders.length > 0 && (
        <Field label="Pick a docs folder">
          {(control) => (
            <Select {...control} value="-" onChange={({ target }) => onPick({ folder: target.value })}>
              <option value="-">{count(folders.length, 'folder')} with a docs.json found</option>
              {folders.map((folder) => (
                <option key={folder} value={folder}>
                  {folder === '' ? '/ (the root)' : folder}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
    </div>
  );
}

/**
 * Branch and folder again, once the branches are known: in an address like `tree/release/2.0/docs` the first
 * reading takes `release` for the branch. Null when the first reading stands.
 */
export function rereadTree(
  draft: GitDraft,
  test: ConnectionTest,
): Pick<GitDraft, 'branch' | 'folder'> | null {
  if (draft.branch === '' || test.branches.includes(draft.branch)) return null;
  const tree = [draft.branch, draft.folder].filter((part) => part !== '').join('/');
  const read = splitTree({ tree, isFile: false }, test.branches);
  return read === null || !test.branches.includes(read.branch) ? null : read;
}

/** Name for a project of this source, before anything is known of it. */
export function nameFromAddress(address: string): string {
  const name =
    parseRepositoryAddress(address)
      ?.repository.replace(/\.git$/, '')
      .split(/[/:]/)
      .at(-1) ?? '';
  return upperFirst(name.replaceAll(/[-_]+/g, ' '));
}
