import type { AgentJobDiff } from '@offprint/contract';
import { useMemo, useState } from 'react';
import { formatNumber } from '../ui/index.ts';
import { type PatchLine, parsePatch } from './patch.ts';

type File = AgentJobDiff['files'][number];

/** Lines beyond which a file is folded at first. */
const LONG = 160;
/** Lines that are drawn at once; the rest comes on request, so that a huge file cannot stop the page. */
const MOST = 2_000;

const KINDS = { added: 'added', modified: 'changed', deleted: 'deleted' } as const;

/** What a job changed in a file, with the numbers of the lines on both sides. Folded when it is long. */
export function PatchView({ file }: { file: File }) {
  const isLong = file.additions + file.deletions > LONG || file.diff.length > 40_000;
  const [isOpen, setOpen] = useState(!isLong);
  return (
    <details
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="overflow-hidden rounded-card border"
    >
      <summary className="flex items-center gap-3 bg-raised px-4 py-2.5 text-sm marker:content-none hover:bg-hover">
        <span aria-hidden="true" className={`text-faint transition-transform ${isOpen ? 'rotate-90' : ''}`}>
          ›
        </span>
        <code className="min-w-0 break-all">{file.path}</code>
        <span className="ms-auto flex shrink-0 items-center gap-2 tabular-nums">
          <span className="text-muted max-sm:sr-only">{KINDS[file.kind]}</span>
          <span className="text-success">
            <span className="sr-only">lines added: </span>+{file.additions}
          </span>
          <span className="text-danger">
            <span className="sr-only">lines removed: </span>−{file.deletions}
          </span>
        </span>
      </summary>
      {isOpen && <PatchLines file={file} />}
    </details>
  );
}

/** The lines of the diff of one file with their numbers on both sides. */
export function PatchLines({ file }: { file: Pick<File, 'path' | 'diff'> }) {
  const patch = useMemo(() => parsePatch(file.diff), [file.diff]);
  const [most, setMost] = useState(MOST);
  if (patch.isBinary) return <p className="border-t px-4 py-3 text-muted text-sm">Binary file.</p>;
  const isMoved = patch.before !== null && patch.after !== null && patch.before !== patch.after;
  let left = most;
  const hunks = patch.hunks.flatMap((hunk, index) => {
    if (left <= 0) return [];
    const lines = hunk.lines.slice(0, left);
    left -= lines.length;
    return [{ id: `${index}`, header: hunk.header, lines }];
  });
  const all = patch.hunks.reduce((sum, { lines }) => sum + lines.length, 0);
  return (
    <div className="border-t">
      {isMoved && (
        <p className="px-4 py-2 text-muted text-sm">
          Moved from <code className="break-all">{patch.before}</code>
        </p>
      )}
      {all === 0 && <p className="px-4 py-3 text-muted text-sm">No changed lines.</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable by keyboard */}
      <section aria-label={`Changes in ${file.path}`} tabIndex={0} className="relative overflow-x-auto">
        <table className="w-full table-fixed border-collapse font-mono text-[13px] leading-[21px] [font-variant-ligatures:none]">
          <colgroup>
            <col className="w-11" />
            <col className="w-11" />
            <col className="w-5" />
            <col />
          </colgroup>
          {hunks.map(({ id, header, lines }) => (
            <tbody key={id}>
              <tr className="bg-sunken text-faint">
                <td colSpan={4} className="whitespace-pre-wrap px-3 py-0.5 [overflow-wrap:anywhere]">
                  {header}
                </td>
              </tr>
              {lines.map((line, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a patch do not move
                <Line key={index} line={line} />
              ))}
            </tbody>
          ))}
        </table>
      </section>
      {all > most && (
        <button
          type="button"
          className="link block px-4 py-3 text-sm"
          onClick={() => setMost(most + 5 * MOST)}
        >
          Show more of {formatNumber(all)} lines
        </button>
      )}
    </div>
  );
}

const LOOKS = {
  added: { row: 'bg-success-soft', mark: '+', sign: 'text-success', word: 'added' },
  removed: { row: 'bg-danger-soft', mark: '−', sign: 'text-danger', word: 'removed' },
  context: { row: '', mark: '', sign: 'text-faint', word: '' },
  note: { row: 'text-faint italic', mark: '', sign: 'text-faint', word: '' },
} as const;

function Line({ line }: { line: PatchLine }) {
  const look = LOOKS[line.kind];
  const number = 'select-none px-1.5 text-end align-top text-faint text-xs leading-[21px] tabular-nums';
  return (
    <tr className={look.row}>
      <td className={number}>{line.before}</td>
      <td className={number}>{line.after}</td>
      <td className={`select-none px-1 align-top ${look.sign}`}>
        <span aria-hidden="true">{look.mark}</span>
        <span className="sr-only">{look.word}</span>
      </td>
      <td className="whitespace-pre-wrap pe-4 [overflow-wrap:anywhere]">{line.text}</td>
    </tr>
  );
}
