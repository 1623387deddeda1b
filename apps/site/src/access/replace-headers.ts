import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http';

type Headers = OutgoingHttpHeaders | readonly OutgoingHttpHeader[];

/**
 * Makes every response that is written from now on have these headers instead of those of the same name. It applies where
 * the head is written, so that no path of the request handler can send a header that caches would use.
 */
export function replaceHeaders(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  const replaced = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  if (replaced.size === 0) return;
  const write = response.writeHead.bind(response);
  const writeHead = (status: number, given: Headers = []): ServerResponse => {
    const flat: OutgoingHttpHeader[] = Array.isArray(given) ? [...given] : pairsOf(given);
    const kept = flat.filter((_, at) => !replaced.has(String(flat[at - (at % 2)]).toLowerCase()));
    return write(status, [...kept, ...Object.entries(headers).flat()]);
  };
  Object.defineProperty(response, 'writeHead', { value: writeHead });
}

function pairsOf(headers: Headers): OutgoingHttpHeader[] {
  return Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
}
