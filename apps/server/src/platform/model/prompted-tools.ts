import type {
  AssistantPart,
  ModelMessage,
  ModelPort,
  StepRequest,
  ToolCall,
  ToolDefinition,
} from './port.ts';

/** The start of a call. Three backticks and the word, on a line of their own. */
const FENCE = /^[ \t]*```tool[ \t]*$/m;
const CLOSING = /^[ \t]*```[ \t]*$/gm;

/**
 * Gives tools to a model whose server has none: they are described in the system text, the model writes a
 * call as a fenced block of JSON, one per response, and reads the results as text of the user. To the caller
 * it is a model like any other.
 */
export function withPromptedTools(model: ModelPort): ModelPort {
  return {
    async step(request) {
      if (request.tools.length === 0) return model.step({ ...request, messages: toText(request.messages) });
      const { onText } = request;
      const asked: StepRequest = {
        ...request,
        system: `${request.system}\n\n${describeTools(request.tools)}`,
        messages: toText(request.messages),
        tools: [],
        ...(onText === undefined ? {} : { onText: untilFence(onText) }),
      };
      const result = await model.step(asked);
      const parts = readCall(result.parts, result.finish === 'length');
      const hasCall = parts.some(({ type }) => type === 'tool-call');
      return { ...result, parts, finish: hasCall ? 'tool-calls' : result.finish };
    },
  };
}

/** The part of the system text that says which tools there are and how one is called. */
export function describeTools(tools: readonly ToolDefinition[]): string {
  const list = tools.map(({ name, description, parameters }) => {
    return `### ${name}\n${description}\nInput (JSON Schema): ${JSON.stringify(parameters)}`;
  });
  return `## Tools

To call a tool, end your response with one block of this form, and write nothing after it:

\`\`\`tool
{"name": "name_of_the_tool", "input": {"parameter": "value"}}
\`\`\`

Inside is one JSON object; line breaks in texts are written as \\n. One call per response; its result comes with the next message. A response without such a block ends your work.

${list.join('\n\n')}`;
}

/** Calls and results of a conversation as the texts that they were. */
function toText(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.map((message): ModelMessage => {
    if (message.role === 'user') return message;
    if (message.role === 'tool') {
      const results = message.results.map(({ name, output, isError }) => {
        return `<result tool="${name}"${isError ? ' error="true"' : ''}>\n${output}\n</result>`;
      });
      return { role: 'user', text: results.join('\n\n') };
    }
    const text = message.parts.map((part) => {
      if (part.type === 'reasoning') return '';
      return part.type === 'text' ? part.text : blockOf(part);
    });
    return { role: 'assistant', parts: [{ type: 'text', text: text.join('') }] };
  });
}

/** The block of a call as the model wrote it, or as it should have. */
function blockOf({ name, input, meta }: ToolCall): string {
  const { written } = (meta ?? {}) as { written?: unknown };
  if (typeof written === 'string') return written;
  const inside = typeof input === 'string' ? input : JSON.stringify({ name, input });
  return `\n\`\`\`tool\n${inside}\n\`\`\``;
}

/** Takes the first call out of the texts of a response; the text after it was not for the model to write. */
function readCall(parts: readonly AssistantPart[], wasCut: boolean): AssistantPart[] {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const thoughts = parts.filter(({ type }) => type === 'reasoning');
  // A call inside thoughts that a server leaves in the text does not count.
  const start = /^\s*<think>/.test(text) ? Math.max(0, text.indexOf('</think>')) : 0;
  const fence = FENCE.exec(text.slice(start));
  const texts = (said: string): AssistantPart[] =>
    said === '' ? [...thoughts] : [...thoughts, { type: 'text', text: said }];
  if (fence === null) return texts(text);
  const begin = start + fence.index;
  const before = text.slice(0, begin);
  const block = readBlock(text.slice(begin + fence[0].length));
  if (block === null) {
    if (wasCut) return texts(before);
    const rest = text.slice(begin + fence[0].length);
    return [...texts(before), toCall(rest.trim(), undefined, text.slice(begin))];
  }
  const written = text.slice(begin, begin + fence[0].length + block.length);
  return [...texts(before), toCall(block.inside, block.value, written)];
}

/** Up to the first closing fence that makes it JSON, since texts inside may hold fences; null: nothing is closed. */
function readBlock(text: string): { inside: string; value: unknown; length: number } | null {
  let first: { inside: string; value: unknown; length: number } | null = null;
  for (const closing of text.matchAll(CLOSING)) {
    const inside = text.slice(0, closing.index).trim();
    const value = parse(inside);
    const block = { inside, value, length: closing.index + closing[0].length };
    if (value !== undefined) return block;
    first ??= block;
  }
  const value = first === null ? parse(text.trim()) : undefined;
  return value === undefined ? first : { inside: text.trim(), value, length: text.length };
}

function toCall(inside: string, value: unknown, written: string): ToolCall {
  const { name, input } = (typeof value === 'object' && value !== null ? value : {}) as Record<
    string,
    unknown
  >;
  const named =
    typeof name === 'string' ? name : (/"name"\s*:\s*"([\w-]{1,64})"/.exec(inside)?.[1] ?? 'unknown');
  return {
    type: 'tool-call',
    id: 'call_0',
    name: named,
    input: typeof name === 'string' ? (input ?? {}) : inside,
    meta: { written },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Passes text on as it comes, but nothing from the fence of a call on, and no beginning of one. */
function untilFence(onText: (delta: string) => void): (delta: string) => void {
  const fence = '```tool';
  let text = '';
  let told = 0;
  return (delta) => {
    text += delta;
    const at = text.indexOf(fence, told);
    let end = at < 0 ? text.length : at;
    for (let size = Math.min(fence.length - 1, text.length - told); at < 0 && size > 0; size -= 1) {
      if (!fence.startsWith(text.slice(-size))) continue;
      end = text.length - size;
      break;
    }
    if (end > told) onText(text.slice(told, end));
    told = end;
  };
}
