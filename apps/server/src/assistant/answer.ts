import { randomBytes } from 'node:crypto';
import { estimateTokens } from '../platform/model/cost.ts';
import type { ModelMessage, ModelPort, StepResult, ToolCall, ToolResult } from '../platform/model/port.ts';
import { createCheckedText } from './checked-text.ts';
import { createLinkRules, type LinkSite, urlOf } from './links.ts';
import type { FoundSection, SiteKnowledge } from './port.ts';
import {
  type PromptSite,
  pathOf,
  type QuestionContext,
  questionMessage,
  resultsText,
  systemPrompt,
  toolsOf,
} from './prompt.ts';

/** One question and all that its answer depends on. */
export interface Question {
  text: string;
  context: readonly QuestionContext[];
  /** Earlier messages of the thread, oldest first. */
  history: readonly { role: 'user' | 'assistant'; text: string }[];
  /** Pages that the first search returns. */
  pages: number;
}

export interface AnswerLimits {
  /** Model requests of one answer. */
  steps: number;
  /** Tokens of one answer, input and output together. */
  tokens: number;
  /** Tokens that one model request may write. */
  outputTokens: number;
}

export interface AnswerSource {
  url: string;
  title: string;
}

export type AnswerEvent =
  | { type: 'searching'; query: string }
  | { type: 'text-start' }
  | { type: 'text-end' }
  | { type: 'text'; text: string }
  | { type: 'end'; end: AnswerEnd };

export interface AnswerEnd {
  text: string;
  sources: AnswerSource[];
  resolution: 'answered' | 'unanswered';
  finish: 'stop' | 'length' | 'error';
  inputTokens: number;
  outputTokens: number;
}

export interface AnswerAdapters {
  model: ModelPort;
  knowledge: SiteKnowledge;
  link: LinkSite;
  site: PromptSite;
  limits: AnswerLimits;
  /** Receives what was used so far, after each model request, so that it counts even if the reader leaves. */
  onUse(tokens: { input: number; output: number }): void;
  signal: AbortSignal;
}

const CALLS_OF_STEP = 4;
const MAX_SKILLS = 3;
const MAX_QUERY = 400;
/** Characters of one page that the model reads. */
const MAX_PAGE = 24_000;
/** Characters that all tools of one step return. */
const MAX_OUTPUTS = 40_000;
const MAX_SOURCES = 8;
const NO_ANSWER = 'The documentation does not contain an answer to this question.';

/**
 * Answers one question: searches, lets the model search and read more, and checks its text while it streams. Ends after
 * bounded steps and tokens. Throws a ModelError, or the reason of the signal.
 */
export async function* answerQuestion(
  question: Question,
  adapters: AnswerAdapters,
  results: readonly FoundSection[],
): AsyncGenerator<AnswerEvent, void, undefined> {
  const run = createRun(question, adapters, results);
  for (let step = 0; ; step++) {
    const isLast = step + 1 >= adapters.limits.steps || !run.hasRoom();
    const result = yield* run.request();
    const calls = result.parts.filter((part) => part.type === 'tool-call').slice(0, CALLS_OF_STEP);
    const needsMore = calls.some(({ name }) => name !== 'report_unanswered');
    if (isLast || !needsMore) {
      if (calls.length > 0) await run.answerCalls(calls);
      if (run.text().trim() === '') yield* run.say(NO_ANSWER);
      yield { type: 'end', end: run.end(result.finish === 'length' ? 'length' : 'stop') };
      return;
    }
    for (const { name, input } of calls) {
      if (name === 'search') yield { type: 'searching', query: inputText(input, 'query') };
    }
    run.addResponse(result, calls, await run.answerCalls(calls));
    if (step + 2 >= adapters.limits.steps || !run.hasRoom()) run.announceLast();
  }
}

/** The state of one answer. */
function createRun(question: Question, adapters: AnswerAdapters, results: readonly FoundSection[]) {
  const { knowledge, link, limits, signal } = adapters;
  const system = systemPrompt(adapters.site);
  // The same in every request: providers reject results of tools that a request does not define.
  const tools = toolsOf(adapters.site);
  const seen = new Map<string, string>();
  const read: string[] = [];
  const cited: AnswerSource[] = [];
  const messages: ModelMessage[] = question.history.map(({ role, text }) =>
    role === 'user' ? { role, text } : { role, parts: [{ type: 'text', text }] },
  );
  messages.push({
    role: 'user',
    text: questionMessage({
      question: question.text,
      context: question.context,
      currentPath: link.currentPath,
      results,
      mark: randomBytes(6).toString('hex'),
    }),
  });
  /** Everything that somebody else than the model has written in this answer. */
  let corpus = [
    question.text,
    ...question.context.map(({ value }) => value),
    adapters.site.instructions ?? '',
  ].join('\n');
  const note = (found: readonly FoundSection[]): void => {
    corpus += `\n${resultsText(found)}`;
    for (const { path, title } of found) if (!seen.has(path)) seen.set(path, title);
  };
  note(results);
  const rules = createLinkRules(knowledge, link, (url) => corpus.includes(url));
  let text = '';
  let isUnanswered = false;
  let skills = 0;
  const used = { input: 0, output: 0 };

  const cite = (url: string): void => {
    const page = url.slice(link.origin.length + link.basePath.length).split('#', 1)[0] ?? '';
    const path = page.replace(/^\/+|\/+$/g, '') || 'index';
    const title = seen.get(decodeURIComponent(path)) ?? decodeURIComponent(path);
    if (!cited.some((source) => source.url === url)) cited.push({ url, title });
  };
  const checking = {
    ...rules,
    resolve: async (to: string) => {
      const url = await rules.resolve(to);
      if (url !== null) cite(url);
      return url;
    },
  };

  async function runTool({ name, input }: ToolCall): Promise<string> {
    if (name === 'search') {
      const found = await knowledge.search(inputText(input, 'query').slice(0, MAX_QUERY), question.pages);
      note(found);
      return resultsText(found);
    }
    if (name === 'read_page') {
      const path = inputText(input, 'path').split(/[?#]/, 1)[0] ?? '';
      const page = await knowledge.read(path);
      if (page === null) return 'Page not found. Use a path of the search results.';
      read.push(path.replace(/^\/+|\/+$/g, '') || 'index');
      const shown =
        page.length > MAX_PAGE ? `${page.slice(0, MAX_PAGE)}\n[The rest of the page is left out.]` : page;
      corpus += `\n${shown}`;
      return shown;
    }
    if (name === 'load_skill') {
      const slug = inputText(input, 'slug');
      const skill = adapters.site.skills.find((one) => one.slug === slug);
      if (skill === undefined || ++skills > MAX_SKILLS) return 'Skill not found.';
      corpus += `\n${skill.text}`;
      return skill.text;
    }
    if (name === 'report_unanswered') {
      isUnanswered = true;
      return 'Reported.';
    }
    return 'Unknown tool.';
  }

  const inputSize = (): number => estimateTokens(JSON.stringify([system, messages]));

  return {
    text: () => text,
    hasRoom: () => used.input + used.output + inputSize() + 2 * limits.outputTokens < limits.tokens,

    /** One model request; its text is sent as it arrives, as far as it is checked. */
    async *request(): AsyncGenerator<AnswerEvent, StepResult, undefined> {
      const checked = createCheckedText(checking);
      const queue = createQueue<string>();
      let size = 0;
      const step = adapters.model
        .step({
          system,
          messages,
          tools,
          maxOutputTokens: limits.outputTokens,
          signal,
          onText(delta) {
            size += delta.length;
            queue.add(delta);
          },
        })
        .finally(queue.close);
      // Its error is reported below, after the text before it.
      step.catch(() => undefined);
      let isStarted = false;
      const estimate = inputSize();
      try {
        for await (const delta of queue) {
          const part = await checked.push(delta);
          if (part === '') continue;
          if (!isStarted) yield { type: 'text-start' };
          isStarted = true;
          text += part;
          yield { type: 'text', text: part };
        }
        const result = await step;
        const rest = await checked.end();
        if (rest !== '') {
          if (!isStarted) yield { type: 'text-start' };
          isStarted = true;
          text += rest;
          yield { type: 'text', text: rest };
        }
        used.input += result.usage.input || estimate;
        used.output += result.usage.output || Math.ceil(size / 3);
        if (isStarted) {
          yield { type: 'text-end' };
          text += '\n\n';
        }
        return result;
      } catch (error) {
        // The provider has counted what it received and wrote.
        used.input += estimate;
        used.output += Math.ceil(size / 3);
        throw error;
      } finally {
        adapters.onUse({ ...used });
      }
    },

    answerCalls: (calls: readonly ToolCall[]): Promise<ToolResult[]> =>
      Promise.all(
        calls.map(async (call) => ({
          id: call.id,
          name: call.name,
          output: (await runTool(call)).slice(0, MAX_OUTPUTS / calls.length),
          isError: false,
        })),
      ),

    addResponse(result: StepResult, calls: readonly ToolCall[], results: ToolResult[]): void {
      const parts = result.parts.filter((part) => part.type !== 'tool-call' || calls.includes(part));
      messages.push({ role: 'assistant', parts }, { role: 'tool', results });
      if (used.input + used.output + inputSize() + limits.outputTokens <= limits.tokens) return;
      for (const one of results) one.output = 'Left out: the limit of this answer is reached.';
    },

    /** The model has one more request. */
    announceLast(): void {
      const last = messages.at(-1);
      const result = last?.role === 'tool' ? last.results.at(-1) : undefined;
      if (result !== undefined) result.output += '\n\n[No more tools can be used. Answer the question now.]';
    },

    /** Text of this program. */
    *say(sentence: string): Generator<AnswerEvent, void, undefined> {
      isUnanswered = true;
      text += sentence;
      yield { type: 'text-start' };
      yield { type: 'text', text: sentence };
      yield { type: 'text-end' };
    },

    end(finish: AnswerEnd['finish']): AnswerEnd {
      const pages = read.map((path) => ({
        url: urlOf(link, pathOf({ path, anchor: null })),
        title: seen.get(path) ?? path,
      }));
      const all = [
        ...cited,
        ...pages.filter(({ url }) => !cited.some((source) => source.url.split('#', 1)[0] === url)),
      ];
      return {
        text: text.trim(),
        sources: isUnanswered ? cited.slice(0, MAX_SOURCES) : all.slice(0, MAX_SOURCES),
        resolution: isUnanswered ? 'unanswered' : 'answered',
        finish,
        inputTokens: used.input,
        outputTokens: used.output,
      };
    },
  };
}

/** A text field of what the model sent, which may be anything. */
function inputText(input: unknown, name: string): string {
  const value =
    typeof input === 'object' && input !== null ? (input as Record<string, unknown>)[name] : undefined;
  return typeof value === 'string' ? value.replaceAll('\0', '') : '';
}

/** Items that are added now and read later; ends after `close`. */
function createQueue<Item>(): AsyncIterable<Item> & { add(item: Item): void; close(): void } {
  const items: Item[] = [];
  let isClosed = false;
  let wake: () => void = () => undefined;
  return {
    add(item) {
      items.push(item);
      wake();
    },
    close() {
      isClosed = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const item = items.shift();
        if (item !== undefined) yield item;
        else if (isClosed) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}
