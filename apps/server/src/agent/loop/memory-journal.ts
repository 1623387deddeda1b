import { EMPTY_COUNTERS, EMPTY_MEMORY, type EventBody, type JobEvent, type JobUsage } from '../record.ts';
import type { Entry, Journal, JournalState } from './journal.ts';

const EMPTY_USAGE: JobUsage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
  calls: 0,
  costUsd: null,
};

/** A journal that ends with its process, for work on a folder of this machine. */
export interface MemoryJournal extends Journal {
  /** Starts the next turn: its prompt, and counters at zero. */
  begin(prompt: string): void;
  /** Where the job stands; a copy. */
  state(): JournalState;
}

/** `onEvent` receives each event after the save that wrote it. */
export function createMemoryJournal(onEvent: (event: JobEvent) => void = () => undefined): MemoryJournal {
  const overlay = new Map<string, string | null>();
  let turn = 0;
  let state: JournalState = {
    events: [],
    overlay,
    memory: structuredClone(EMPTY_MEMORY),
    counters: { ...EMPTY_COUNTERS },
    usage: { ...EMPTY_USAGE },
    verdict: null,
    turnStartedAt: new Date(),
  };

  const append = (bodies: readonly EventBody[]): JobEvent[] => {
    const events = bodies.map((body, index) => ({
      // What others hold must not change what is kept, as little as with a database.
      ...structuredClone(body),
      seq: state.events.length + index + 1,
      turn,
      at: new Date(),
    }));
    state = { ...state, events: [...state.events, ...events] };
    for (const event of events) onEvent(event);
    return events;
  };

  const copy = (): JournalState => ({ ...structuredClone(state), overlay: new Map(overlay) });

  return {
    begin(prompt) {
      turn += 1;
      state = { ...state, counters: { ...EMPTY_COUNTERS }, turnStartedAt: new Date() };
      append([{ kind: 'prompt', text: prompt }]);
    },
    state: copy,
    load: async () => copy(),
    async save(entry: Entry) {
      const { counters, usage, memory, verdict } = structuredClone({
        counters: entry.counters ?? state.counters,
        usage: entry.usage ?? state.usage,
        memory: entry.memory ?? state.memory,
        verdict: entry.verdict ?? state.verdict,
      });
      state = { ...state, counters, usage, memory, verdict };
      for (const [path, text] of entry.files ?? []) {
        if (text === undefined) overlay.delete(path);
        else overlay.set(path, text);
      }
      return append(entry.events ?? []);
    },
    takeMessages: async () => [],
    beginCall: async () => async () => undefined,
  };
}
