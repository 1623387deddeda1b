import type { ConnectionTest } from '@offprint/contract';
import { CircleCheck, CircleDashed, CircleX } from 'lucide-react';

const NAMES: Readonly<Record<ConnectionTest['steps'][number]['name'], string>> = {
  address: 'Server',
  'sign-in': 'Sign-in and repository',
  branch: 'Branch',
  folder: 'Folder',
  config: 'docs.json',
};
const WORDS = { ok: 'passed', failed: 'failed', skipped: 'not checked' } as const;

/** Whether a check of the source failed. A step that was not checked is not an error. */
export const hasFailedStep = ({ steps }: ConnectionTest): boolean =>
  steps.some(({ outcome }) => outcome === 'failed');

/** The steps of a connection test, in order; while it runs, what will be tried. */
export function ConnectionSteps({
  test,
  isPending,
}: {
  test: ConnectionTest | undefined;
  isPending: boolean;
}) {
  if (isPending || test === undefined)
    return (
      <ol aria-busy="true" aria-label="Connection test, running" className="space-y-2">
        {Object.entries(NAMES).map(([name, label]) => (
          <li key={name} className="flex items-center gap-3 text-muted text-sm">
            <CircleDashed
              className="size-[18px] flex-none animate-spin [animation-duration:3s]"
              aria-hidden
            />
            {label}
          </li>
        ))}
      </ol>
    );
  return (
    <ol aria-label="Connection test" className="space-y-2.5">
      {test.steps.map(({ name, outcome, message }) => (
        <li key={name} className="flex items-start gap-3 text-sm">
          {outcome === 'ok' ? (
            <CircleCheck className="mt-0.5 size-[18px] flex-none text-success" aria-hidden />
          ) : outcome === 'failed' ? (
            <CircleX className="mt-0.5 size-[18px] flex-none text-danger" aria-hidden />
          ) : (
            <CircleDashed className="mt-0.5 size-[18px] flex-none text-faint" aria-hidden />
          )}
          <span className="min-w-0">
            <span className="font-medium">{NAMES[name]}</span>
            <span className="sr-only"> {WORDS[outcome]}:</span>{' '}
            <span className={`[overflow-wrap:anywhere] ${outcome === 'failed' ? '' : 'text-muted'}`}>
              {message}
            </span>
          </span>
        </li>
      ))}
    </ol>
  );
}
