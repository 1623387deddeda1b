import {
  ArrowDown,
  CircleAlert,
  CircleCheck,
  FilePenLine,
  FileText,
  GitCommitHorizontal,
  Info,
  ListTodo,
  type LucideIcon,
  Search,
  ShieldCheck,
} from 'lucide-react';
import { memo, type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import {
  Button,
  ExactTime,
  ExternalLink,
  formatNumber,
  Markdown,
  MarkdownLine,
  Skeleton,
  Spinner,
  Time,
} from '../ui/index.ts';
import type { LiveTranscript } from './live.ts';
import {
  activityOf,
  findingsOf,
  type ToolEvent,
  type TranscriptItem,
  toolWords,
  turnsOf,
} from './transcript.ts';

/** Pixels from the end within which a reader counts as being there. */
const NEAR = 48;

/** What was said and done, as it is written. Stays at the end while the reader is there. */
export function TranscriptView({ live, isActive }: { live: LiveTranscript; isActive: boolean }) {
  const { transcript, state } = live;
  const box = useRef<HTMLElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const turns = useMemo(() => turnsOf(transcript.events), [transcript]);
  const first = turns[0]?.items.find(({ kind }) => kind === 'prompt');
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is new moves the end
  useLayoutEffect(() => {
    if (atEnd && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [atEnd, transcript, isActive]);
  if (turns.length === 0 && state === 'reading') return <Skeleton shape="card" count={3} />;
  return (
    <div className="relative">
      <section
        ref={box}
        aria-label="Transcript"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) =>
          setAtEnd(scrollHeight - scrollTop - clientHeight < NEAR)
        }
        className="relative max-h-[68dvh] space-y-5 overflow-y-auto overscroll-contain rounded-card border p-4 sm:p-5"
      >
        {turns.length === 0 && transcript.pending.length === 0 && (
          <p className="text-muted text-sm">
            {isActive
              ? 'No messages yet.'
              : 'The transcript was deleted. Transcripts are kept for a limited time.'}
          </p>
        )}
        {turns.map(({ turn, items }) => (
          <section key={turn} aria-label={`Turn ${turn}`} className="space-y-4">
            {items.map((item) => (
              <Item key={item.key} item={item} isFirst={item === first} />
            ))}
          </section>
        ))}
        {isActive && transcript.draft !== '' && (
          <Said name="Agent" className="bg-raised">
            <Markdown text={transcript.draft} />
          </Said>
        )}
        {isActive &&
          transcript.pending.map(({ text, at }, index) => (
            <Said
              key={`${at} ${text}`}
              name={turns.length === 0 && index === 0 ? 'Prompt' : 'Follow-up, not yet received'}
              at={at}
              className="bg-primary-soft"
            >
              <LongText text={text} />
            </Said>
          ))}
        {isActive && <Activity live={live} />}
      </section>
      {state === 'broken' && (
        <p role="status" className="mt-2 text-sm text-warning">
          The connection was lost. The dashboard reconnects every few seconds. No events are lost.
        </p>
      )}
      {!atEnd && (
        <div className="pointer-events-none absolute inset-x-0 bottom-4 flex justify-center">
          <Button
            look="quiet"
            size="small"
            className="pointer-events-auto shadow-floating"
            onClick={() => setAtEnd(true)}
          >
            <ArrowDown aria-hidden="true" className="size-3.5" />
            Go to the end
          </Button>
        </div>
      )}
    </div>
  );
}

/** What the agent does now, with the seconds since it started. */
function Activity({ live }: { live: LiveTranscript }) {
  const { words, since } = activityOf(live.transcript);
  const seconds = useSeconds(since);
  return (
    <p className="flex items-center gap-2.5 text-muted text-sm">
      <Spinner />
      <span role="status">{words}…</span>
      {seconds !== null && <span className="tabular-nums">{formatSeconds(seconds)}</span>}
    </p>
  );
}

/** Whole seconds since a time, counted while it is shown. */
function useSeconds(since: string | null): number | null {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return since === null ? null : Math.max(0, Math.floor((now - Date.parse(since)) / 1_000));
}

function formatSeconds(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** An item changes only while tools are added to it, so the others are drawn once. */
const Item = memo(
  function Item({ item, isFirst }: { item: TranscriptItem; isFirst: boolean }) {
    switch (item.kind) {
      case 'prompt':
        return (
          <Said name={isFirst ? 'Prompt' : 'Follow-up'} at={item.at} className="bg-primary-soft">
            <LongText text={item.text} />
          </Said>
        );
      case 'message':
        return (
          <Said name="Agent" at={item.at} className="bg-raised">
            <LongText text={item.text} isMarkdown />
          </Said>
        );
      case 'notice':
        return <PlatformNotice text={item.text} at={item.at} />;
      case 'tools':
        return <Tools calls={item.calls} />;
      case 'state':
        return <NoticeLine item={item} />;
      case 'published':
        return (
          <Line icon={GitCommitHorizontal} at={item.at}>
            Pushed <code>{item.commit.slice(0, 12)}</code> to <code>{item.branch}</code>
            {item.prLink !== null && (
              <>
                {' · '}
                <ExternalLink href={item.prLink}>Pull request</ExternalLink>
              </>
            )}
          </Line>
        );
    }
  },
  (before, after) =>
    before.item.key === after.item.key &&
    before.isFirst === after.isFirst &&
    sizeOf(before.item) === sizeOf(after.item),
);

function sizeOf(item: TranscriptItem): number {
  return item.kind === 'tools' ? item.calls.length : 0;
}

/** Characters of a text that are shown at first; prompts may be very long. */
const LONG = 1_500;

function Said({
  name,
  at,
  className,
  children,
}: {
  name: string;
  at?: string;
  className: string;
  children: ReactNode;
}) {
  return (
    <div className={`rounded-card px-4 py-3 ${className}`}>
      <p className="mb-1 flex items-baseline justify-between gap-4 text-muted text-xs">
        <span className="font-medium text-text">{name}</span>
        {at !== undefined && <Time at={at} />}
      </p>
      {children}
    </div>
  );
}

/** The start of a text, with a button for the rest; plain with its line breaks, or as Markdown. */
export function LongText({ text, isMarkdown = false }: { text: string; isMarkdown?: boolean }) {
  const [isOpen, setOpen] = useState(text.length <= LONG * 1.3);
  const shown = isOpen ? text : `${text.slice(0, LONG)}…`;
  return (
    <>
      {isMarkdown ? (
        <Markdown text={shown} />
      ) : (
        <p className="whitespace-pre-wrap text-sm leading-6 [overflow-wrap:anywhere]">{shown}</p>
      )}
      {!isOpen && (
        <button type="button" className="link mt-1 text-sm" onClick={() => setOpen(true)}>
          Show all {formatNumber(text.length)} characters
        </button>
      )}
    </>
  );
}

/** What the platform has reported to the model, such as the findings of a check. */
function PlatformNotice({ text, at }: { text: string; at: string }) {
  const rest = text.split('\n').filter((line) => findingsOf(line).length === 0);
  return (
    <Said name="Offprint to the agent" at={at} className="border">
      <LongText text={rest.join('\n')} isMarkdown />
      <Findings text={text} />
    </Said>
  );
}

/** The findings in a text, with their places. */
function Findings({ text }: { text: string }) {
  const findings = findingsOf(text);
  if (findings.length === 0) return null;
  return (
    <ul aria-label="Findings" className="my-1 space-y-1 text-sm">
      {findings.map(({ place, code, message, blocks }) => (
        <li key={`${place} ${code} ${message}`} className="[overflow-wrap:anywhere]">
          <code>{place}</code> <span className={blocks ? 'text-warning' : 'text-muted'}>{code}</span>{' '}
          <MarkdownLine text={message} />
        </li>
      ))}
    </ul>
  );
}

/** Calls shown of many in a row; the rest is folded. */
const CALLS = 6;

function Tools({ calls }: { calls: readonly ToolEvent[] }) {
  const [isOpen, setOpen] = useState(false);
  const hidden = isOpen ? 0 : Math.max(0, calls.length - CALLS);
  return (
    <div className="border-s-2 ps-3">
      {hidden > 1 && (
        <button type="button" className="link py-1 text-sm" onClick={() => setOpen(true)}>
          {hidden} earlier calls
        </button>
      )}
      {calls.slice(hidden > 1 ? hidden : 0).map((call, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls are only added at the end
        <Tool key={index + (hidden > 1 ? hidden : 0)} call={call} />
      ))}
    </div>
  );
}

const ICONS: Readonly<Record<string, LucideIcon>> = {
  search: Search,
  list_files: Search,
  edit_file: FilePenLine,
  write_file: FilePenLine,
  delete_file: FilePenLine,
  move_file: FilePenLine,
  replace_in_files: FilePenLine,
  update_navigation: FilePenLine,
  check_docs: ShieldCheck,
  update_plan: ListTodo,
  finish: CircleCheck,
};

function Tool({ call }: { call: ToolEvent }) {
  if (call.name === 'check_docs' && !call.isError) {
    return (
      <>
        <ToolCall call={call} />
        <div className="ps-5">
          <Findings text={call.summary} />
        </div>
      </>
    );
  }
  return <ToolCall call={call} />;
}

function ToolCall({ call }: { call: ToolEvent }) {
  const Icon = call.isError ? CircleAlert : (Object.hasOwn(ICONS, call.name) && ICONS[call.name]) || FileText;
  return (
    <details className="group text-sm">
      <summary className="flex cursor-pointer items-baseline gap-2 rounded-control py-1 marker:content-none hover:text-text">
        <Icon
          aria-hidden="true"
          className={`size-3.5 flex-none translate-y-0.5 ${call.isError ? 'text-warning' : 'text-muted'}`}
        />
        <span className="min-w-0 break-words text-muted">
          {toolWords(call)}
          {call.path !== null && (
            <>
              {' '}
              <code className="break-all text-text">{call.path}</code>
            </>
          )}
          {call.path === null && <span className="text-faint"> {hintOf(call.summary)}</span>}
          {call.isError && <span className="text-warning"> (failed)</span>}
        </span>
      </summary>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        role="note"
        aria-label="Result"
        className="my-1.5 max-h-72 overflow-auto whitespace-pre-wrap rounded-control bg-sunken p-3 font-mono text-xs leading-5 [overflow-wrap:anywhere]"
      >
        {call.summary === '' ? 'No output.' : call.summary}
      </pre>
    </details>
  );
}

const HINT = 72;

/** The start of a result, for a tool call without a file. */
function hintOf(summary: string): string {
  const line = summary.trim().split('\n', 1)[0] ?? '';
  return line.length <= HINT ? line : `${line.slice(0, HINT).trimEnd()}…`;
}

function NoticeLine({ item }: { item: Extract<TranscriptItem, { kind: 'state' }> }) {
  const isFault = item.phase === 'failed';
  return (
    <Line icon={isFault ? CircleAlert : Info} at={item.at} tone={isFault ? 'text-danger' : 'text-muted'}>
      {item.text}
      {item.until !== null && (
        <>
          {' '}
          Until <ExactTime at={item.until} />.
        </>
      )}
    </Line>
  );
}

function Line({
  icon: Icon,
  at,
  tone = 'text-muted',
  children,
}: {
  icon: LucideIcon;
  at: string;
  tone?: string;
  children: ReactNode;
}) {
  return (
    <p className="flex gap-2.5 text-sm">
      <Icon aria-hidden="true" className={`mt-0.5 size-4 flex-none ${tone}`} />
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">{children}</span>
      <span className="flex-none text-muted text-xs leading-6">
        <Time at={at} />
      </span>
    </p>
  );
}
