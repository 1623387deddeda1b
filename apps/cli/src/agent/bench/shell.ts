import { fencesOf } from './text.ts';

export interface CurlCall {
  method: string;
  url: string;
  headers: string[];
  data: string | null;
}

/** The first valid `curl` command in the shell blocks of a page; null if none exists. */
export function curlOf(page: string): CurlCall | null {
  for (const fence of fencesOf(page)) {
    const lines = fence.split('\n');
    if (!/^ *`{3,}(ba)?sh\b/.test(lines[0] ?? '')) continue;
    const words = wordsOf(lines.slice(1, -1).join('\n'));
    const from = words?.indexOf('curl') ?? -1;
    if (words === null || from === -1) continue;
    const end = words.indexOf('\n', from);
    return callOf(words.slice(from + 1, end === -1 ? undefined : end));
  }
  return null;
}

function callOf(words: readonly string[]): CurlCall | null {
  const call: CurlCall = { method: '', url: '', headers: [], data: null };
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    const take = (): string => words[++index] ?? '';
    if (word === '-X' || word === '--request') call.method = take();
    else if (word === '-H' || word === '--header') call.headers.push(take());
    else if (word === '-d' || /^--(data|data-raw|json)$/.test(word)) call.data = take();
    else if (/^https?:/.test(word)) call.url = word;
    else if (!word.startsWith('-')) return null;
  }
  if (call.method === '') call.method = call.data === null ? 'GET' : 'POST';
  return call.url === '' ? null : call;
}

/** Splits a shell text into words, with line breaks as `\n` and without expansion; null if a quote is not closed. */
export function wordsOf(text: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  for (let index = 0; index < text.length; index++) {
    const char = text.charAt(index);
    if (char === '\\') {
      index += 1;
      if (text.charAt(index) !== '\n') word = (word ?? '') + text.charAt(index);
    } else if (char === "'" || char === '"') {
      const close = text.indexOf(char, index + 1);
      if (close === -1) return null;
      word = (word ?? '') + text.slice(index + 1, close);
      index = close;
    } else if (/\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
      if (char === '\n') words.push('\n');
    } else word = (word ?? '') + char;
  }
  return word === null ? words : [...words, word];
}
