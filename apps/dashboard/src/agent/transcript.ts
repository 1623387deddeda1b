import type { AgentJob, AgentJobEvent, AgentTodo } from '@offprint/contract';

type EventOf<Name extends AgentJobEvent['event']> = Extract<AgentJobEvent, { event: Name }>['data'];
export type ToolEvent = EventOf<'tool'>;

/** A thing to show, in the order in which things happened. `key` is unique in the transcript. */
export type TranscriptItem =
  | { kind: 'prompt' | 'message' | 'notice'; key: string; at: string; text: string }
  /** Calls of tools with nothing said in between. */
  | { kind: 'tools'; key: string; at: string; calls: ToolEvent[] }
  | { kind: 'state'; key: string; at: string; phase: string; text: string; until: string | null }
  | { kind: 'published'; key: string; at: string; branch: string; commit: string; prLink: string | null };

/** A prompt or follow-up with everything that was done for it. */
export interface Turn {
  turn: number;
  items: TranscriptItem[];
}

/** What is known of a job from its events. */
export interface Transcript {
  events: readonly AgentJobEvent[];
  /** `seq` of the last event; 0: none. */
  last: number;
  /** What the model is writing; '' when it writes nothing. */
  draft: string;
  /** Prompts that the model has not received yet. */
  pending: readonly { text: string; at: string }[];
}

export const EMPTY_TRANSCRIPT: Transcript = { events: [], last: 0, draft: '', pending: [] };

/**
 * The transcript with these events after it. A stream that reconnects repeats some of the last step: known events
 * are left out, and so is `done`, which carries the job and is not an event of it.
 */
export function addEvents(transcript: Transcript, events: readonly AgentJobEvent[]): Transcript {
  const all = [...transcript.events];
  let { last, draft, pending } = transcript;
  for (const event of events) {
    if (event.event === 'done') {
      draft = '';
      pending = [];
      continue;
    }
    if (event.data.seq < last) continue;
    if (event.event === 'pending') {
      pending = event.data.prompts;
      continue;
    }
    if (event.event === 'text') {
      draft = draft.slice(0, event.data.offset) + event.data.text;
      continue;
    }
    if (event.data.seq === last && isKnown(all, event)) continue;
    last = event.data.seq;
    draft = '';
    if (event.event === 'prompt') pending = withoutFirst(pending, event.data.text);
    all.push(event);
  }
  const isSame =
    all.length === transcript.events.length && draft === transcript.draft && pending === transcript.pending;
  return isSame ? transcript : { events: all, last, draft, pending };
}

function withoutFirst(pending: Transcript['pending'], text: string): Transcript['pending'] {
  const index = pending.findIndex((prompt) => prompt.text === text);
  return index === -1 ? pending : pending.toSpliced(index, 1);
}

function isKnown(
  events: readonly AgentJobEvent[],
  event: Exclude<AgentJobEvent, { event: 'done' }>,
): boolean {
  const text = JSON.stringify(event);
  for (let index = events.length - 1; index >= 0; index--) {
    const known = events[index];
    if (known === undefined || known.event === 'done' || known.data.seq !== event.data.seq) return false;
    if (JSON.stringify(known) === text) return true;
  }
  return false;
}

/** Phases that stay in the transcript; the others are shown only while they are current. */
const LASTING_PHASES: Readonly<Record<string, string>> = {
  failed: 'Failed',
  archived: 'Archived',
};

/** The events by turn, with calls of tools that follow each other as one item. */
export function turnsOf(events: readonly AgentJobEvent[]): Turn[] {
  const turns: Turn[] = [];
  for (const event of events) {
    if (isHidden(event)) continue;
    const { turn } = event.data;
    let current = turns.at(-1);
    if (current?.turn !== turn) {
      current = { turn, items: [] };
      turns.push(current);
    }
    addItem(current.items, event);
  }
  return turns.filter(({ items }) => items.length > 0);
}

type Hidden = Extract<AgentJobEvent, { event: 'done' | 'plan' | 'pending' | 'text' }>;

/** Events that the transcript shows elsewhere. */
const isHidden = (event: AgentJobEvent): event is Hidden =>
  ['done', 'plan', 'pending', 'text'].includes(event.event);

function addItem(items: TranscriptItem[], event: Exclude<AgentJobEvent, Hidden>): void {
  const { seq, at } = event.data;
  const key = `${seq}-${items.length}`;
  const before = items.at(-1);
  switch (event.event) {
    case 'prompt':
    case 'message':
    case 'notice':
      items.push({ kind: event.event, key, at, text: event.data.text });
      return;
    case 'tool':
      if (before?.kind === 'tools') before.calls.push(event.data);
      else items.push({ kind: 'tools', key, at, calls: [event.data] });
      return;
    case 'pull_request': {
      const { branch, commit, prLink } = event.data;
      items.push({ kind: 'published', key, at, branch, commit, prLink });
      return;
    }
    case 'state': {
      const { phase, message, until } = event.data;
      const text = message ?? LASTING_PHASES[phase] ?? null;
      if (text !== null) items.push({ kind: 'state', key, at, phase, text, until });
    }
  }
}

/** What the job was at last; null before its first event. */
export function phaseOf(events: readonly AgentJobEvent[]): string | null {
  const state = events.findLast((event) => event.event === 'state');
  return state?.event === 'state' ? state.data.phase : null;
}

/** What an active job does now, for people, and since when. */
export function activityOf({ events, draft }: Transcript): { words: string; since: string | null } {
  const phase = phaseOf(events);
  const shown = events.findLast((event) =>
    phase === 'running' ? !isHidden(event) : event.event === 'state',
  );
  const since = shown === undefined || isHidden(shown) ? null : shown.data.at;
  if (phase !== 'running') return { words: phaseWords(phase), since };
  return { words: draft === '' ? 'Waiting for the model' : 'The model is writing', since };
}

const FINDING = /^(?:- )?(\[blocks\] )?(\S[^\n]*?)(?::(\d+))? ([a-z][a-z0-9-]*):? ([^\n]+)$/;

export interface ShownFinding {
  place: string;
  code: string;
  message: string;
  blocks: boolean;
}

/** The findings in the result of a check of the docs; other lines are left out. */
export function findingsOf(summary: string): ShownFinding[] {
  return summary.split('\n').flatMap((line) => {
    const [, blocks, file = '', at, code = '', message = ''] = FINDING.exec(line) ?? [];
    if (!/[./]/.test(file) || /\s/.test(file)) return [];
    return [
      { place: at === undefined ? file : `${file}:${at}`, code, message, blocks: blocks !== undefined },
    ];
  });
}

/** The plan as it stands: that of the events while they come, else that of the job. */
export function planOf(events: readonly AgentJobEvent[], job: AgentJob): AgentTodo[] {
  if (job.status !== 'active') return job.todos;
  const plan = events.findLast((event) => event.event === 'plan');
  return plan?.event === 'plan' ? plan.data.todos : job.todos;
}

const PHASES: Readonly<Record<string, string>> = {
  queued: 'Waiting for a worker',
  preparing: 'Reading the repository',
  running: 'Working',
  waiting: 'Waiting for the model',
  publishing: 'Publishing the changes',
};

/** What the job is doing, for people. */
export function phaseWords(phase: string | null): string {
  return PHASES[phase ?? 'queued'] ?? 'Working';
}

const TOOLS: Readonly<Record<string, string>> = {
  read_file: 'Read',
  list_files: 'Listed',
  search: 'Searched',
  edit_file: 'Edited',
  write_file: 'Wrote',
  delete_file: 'Deleted',
  move_file: 'Moved',
  replace_in_files: 'Replaced text in',
  get_navigation: 'Read the navigation',
  update_navigation: 'Changed the navigation',
  get_openapi_operation: 'Read an API operation',
  check_docs: 'Checked the docs',
  show_changes: 'Reviewed its changes',
  update_plan: 'Updated its plan',
  finish: 'Finished',
};

/** What a call of a tool did, for people; a tool that is not known keeps its name. */
export function toolWords({ name, path }: Pick<ToolEvent, 'name' | 'path'>): string {
  const words = Object.hasOwn(TOOLS, name) ? (TOOLS[name] ?? name) : name;
  if (path !== null) return words;
  return words === 'Replaced text in' ? 'Replaced text' : words === 'Listed' ? 'Listed files' : words;
}
