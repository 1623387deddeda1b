import type { AssistantPart, ModelMessage, ToolCall, ToolResult } from './port.ts';

/** Metadata by provider, as a library hands it out and wants it back. */
export type Meta = Record<string, Record<string, never>>;

export interface SentText {
  type: 'text';
  text: string;
  providerOptions?: Meta;
}

export type SentPart =
  | SentText
  | { type: 'reasoning'; text: string; providerOptions?: Meta }
  | { type: 'tool-call'; toolCallId: string; toolName: string; input: unknown; providerOptions?: Meta };

export interface SentResult {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: { type: 'text' | 'error-text'; value: string };
}

/** A conversation as the provider packages take it. */
export type SentMessage =
  | { role: 'system'; content: string; providerOptions?: Meta }
  | { role: 'user'; content: SentText[]; providerOptions?: Meta }
  | { role: 'assistant'; content: SentPart[]; providerOptions?: Meta }
  | { role: 'tool'; content: SentResult[]; providerOptions?: Meta };

/** Names and ids that every provider takes. */
const MAX_NAME = 64;

/**
 * Our messages in the form of the provider packages: the same messages make the same bytes, also after they were
 * stored and read again. Calls get ids of their own where servers have repeated them, names and inputs that no server
 * takes back become such that every one does, and what the model sees of them stays readable.
 */
export function toSent(system: string, messages: readonly ModelMessage[]): SentMessage[] {
  const sent: SentMessage[] = system === '' ? [] : [{ role: 'system', content: system }];
  const taken = new Set<string>();
  let ids = new Map<string, string>();
  for (const [index, message] of messages.entries()) {
    if (message.role === 'user') {
      sent.push({ role: 'user', content: [{ type: 'text', text: message.text }] });
    } else if (message.role === 'assistant') {
      ids = uniqueIds(message.parts, index, taken);
      const content = message.parts.flatMap((part) => toSentPart(part, ids));
      if (content.length > 0) sent.push({ role: 'assistant', content });
    } else if (message.results.length > 0) {
      sent.push({ role: 'tool', content: message.results.map((result) => toSentResult(result, ids)) });
    }
  }
  return sent;
}

/** What the model sent as the input of a call: its JSON, or its text where that is none. */
export function readInput(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function toSentPart(part: AssistantPart, ids: ReadonlyMap<string, string>): SentPart[] {
  const meta = part.meta === undefined ? {} : { providerOptions: part.meta as Meta };
  if (part.type === 'tool-call') {
    const { id, name } = part;
    return [
      {
        type: 'tool-call',
        toolCallId: ids.get(id) ?? id,
        toolName: safeName(name),
        input: toObject(part.input),
        ...meta,
      },
    ];
  }
  // An empty text is refused by some servers; an empty thought may carry a signature.
  if (part.text === '' && (part.type === 'text' || part.meta === undefined)) return [];
  return [{ type: part.type, text: part.text, ...meta }];
}

function toSentResult(
  { id, name, output, isError }: ToolResult,
  ids: ReadonlyMap<string, string>,
): SentResult {
  return {
    type: 'tool-result',
    toolCallId: ids.get(id) ?? id,
    toolName: safeName(name),
    output: { type: isError ? 'error-text' : 'text', value: output },
  };
}

function uniqueIds(parts: readonly AssistantPart[], index: number, taken: Set<string>): Map<string, string> {
  const ids = new Map<string, string>();
  for (const [place, { id }] of parts
    .filter((part): part is ToolCall => part.type === 'tool-call')
    .entries()) {
    const isFit = /^[\w-]{1,64}$/.test(id) && !taken.has(id);
    const sent = isFit ? id : `call_${index}_${place}`;
    taken.add(sent);
    ids.set(id, sent);
  }
  return ids;
}

const safeName = (name: string): string => name.replace(/[^\w-]/g, '_').slice(0, MAX_NAME) || 'unknown';

/** Inputs must be objects. Keys are in the order in which the database keeps them: by length, then by code units. */
function toObject(input: unknown): unknown {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return ordered(input);
  return { unreadable: typeof input === 'string' ? input : JSON.stringify(input) };
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, ordered(member)]));
}
