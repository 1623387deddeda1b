/**
 * Messages of JSON, one a line. A line that is not JSON is `undefined`, which no protocol takes for a message; so is one
 * with more than `maxLength` characters, of which only the start is kept.
 */
export async function* readMessages(
  input: AsyncIterable<Buffer | string>,
  maxLength: number,
): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  let line = '';
  let isTooLong = false;
  const add = (text: string): void => {
    if (line.length + text.length > maxLength) isTooLong = true;
    else line += text;
  };
  const end = (): unknown => {
    const message = isTooLong ? undefined : parse(line);
    line = '';
    isTooLong = false;
    return message;
  };
  for await (const piece of input) {
    const parts = (typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true })).split('\n');
    const last = parts.pop() ?? '';
    for (const part of parts) {
      add(part);
      if (line.trim() !== '' || isTooLong) yield end();
    }
    add(last);
  }
  if (line.trim() !== '' || isTooLong) yield end();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
