/** Docs and prompts of scripted agent jobs. */
import type { Answer, ScriptedRequest } from './model-wire.ts';

export const REPOSITORY = 'acme/docs';

/** A small site with a broken link of its own. */
export const SITE: Readonly<Record<string, string>> = {
  'docs.json': `${JSON.stringify({ theme: 'mint', name: 'Acme', colors: { primary: '#0f766e' }, navigation: { pages: ['index', 'guide/start', 'guide/limits'] } }, null, 2)}\n`,
  'index.mdx': '---\ntitle: Home\n---\n\nWelcome to the beta of Acme.\n\nSee [the guide](/guide/start).\n',
  'guide/start.mdx': '---\ntitle: Start\n---\n\n## Install\n\nThe beta needs Node 20.\n\n[Gone](/nowhere)\n',
  'guide/limits.mdx': '---\ntitle: Limits\n---\n\n## Limits\n\nTen requests a second.\n',
  '.github/workflows/ci.yml': 'on: push\n',
};

/**
 * The calls that a prompt contains, one per line: `tool {json}`. The model makes them in order and then returns the rest of
 * the prompt, so its responses follow from the transcript alone.
 */
export function lineScript({ messages }: ScriptedRequest): Answer {
  const last = messages.findLastIndex(({ role, text }) => role === 'user' && text.includes('do:\n'));
  const text = messages[last]?.text ?? '';
  const lines = text
    .slice(text.lastIndexOf('do:\n') + 3)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^[a-z_]+ \{/.test(line));
  const done = messages.slice(last).filter(({ role }) => role === 'assistant').length;
  const line = lines[done];
  if (line === undefined) return { text: 'Done as asked.' };
  const blank = line.indexOf(' ');
  return { calls: [{ name: line.slice(0, blank), input: JSON.parse(line.slice(blank + 1)) }] };
}

/** A prompt for `lineScript`. */
export function doing(...calls: [tool: string, input: unknown][]): string {
  return `Please do:\n${calls.map(([tool, input]) => `${tool} ${JSON.stringify(input)}`).join('\n')}`;
}
