import { type AssistantMessageBody, MAX_QUESTION } from '@offprint/contract';
import { AppError } from '../platform/http/error.ts';
import type { Question } from './answer.ts';
import type { QuestionContext } from './prompt.ts';

/** What a request asks, with the text of its earlier messages. */
export interface Conversation {
  question: string;
  history: Question['history'];
  context: QuestionContext[];
  /** What is searched first. */
  query: string;
}

const MAX_HISTORY = 10;
const MAX_EARLIER = 4_000;
const MAX_QUERY = 400;
/** A question that is shorter is likely to refer to the one before. */
const SHORT = 40;
/** Characters of all selected text and code. */
const MAX_CONTEXT = 24_000;

/** Reads a request. Only text of users and assistants counts. Throws the 400. */
export function readConversation({ messages, context }: AssistantMessageBody): Conversation {
  const texts = messages.flatMap(({ role, parts }): Question['history'] => {
    const text = parts
      .flatMap((part) => (part.type === 'text' && part.text !== undefined ? part.text : []))
      .join('\n')
      .trim();
    return role === 'system' || text === '' ? [] : [{ role, text }];
  });
  const last = texts.at(-1);
  const where = `/messages/${messages.length - 1}`;
  if (last?.role !== 'user') {
    throw new AppError('invalid_request', 'The last message must be from the user and contain text.', {
      param: where,
    });
  }
  if (last.text.length > MAX_QUESTION) {
    throw new AppError('invalid_request', `The question is longer than ${MAX_QUESTION} characters.`, {
      param: where,
    });
  }
  const history = alternate(texts.slice(0, -1).slice(-MAX_HISTORY));
  const before = history.findLast(({ role }) => role === 'user')?.text ?? '';
  const query = last.text.length < SHORT && before !== '' ? `${last.text} ${before}` : last.text;
  let left = MAX_CONTEXT;
  const added = (context ?? []).flatMap(({ type, value, path }): QuestionContext[] => {
    const text = value.slice(0, left);
    left -= text.length;
    return text === '' ? [] : [{ type, value: text, path: path ?? null }];
  });
  return { question: last.text, history, context: added, query: query.slice(0, MAX_QUERY) };
}

/** Messages of users and assistants in turn, first a user: models reject others. */
function alternate(messages: Question['history']): { role: 'user' | 'assistant'; text: string }[] {
  const kept: { role: 'user' | 'assistant'; text: string }[] = [];
  for (const { role, text } of messages) {
    const last = kept.at(-1);
    if (last === undefined ? role === 'user' : last.role !== role)
      kept.push({ role, text: text.slice(0, MAX_EARLIER) });
  }
  if (kept.at(-1)?.role === 'user') kept.pop();
  return kept;
}
