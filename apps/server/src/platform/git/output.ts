import { GitError } from './error.ts';

/** Calls `take` with each record of an output whose records end with NUL (`-z`). */
export async function eachRecord(
  stdout: AsyncIterable<Buffer>,
  take: (record: string) => void,
): Promise<void> {
  let rest = Buffer.alloc(0);
  for await (const chunk of stdout) {
    let data = rest.byteLength === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = data.indexOf(0); end !== -1; end = data.indexOf(0)) {
      take(data.toString('utf8', 0, end));
      data = data.subarray(end + 1);
    }
    rest = Buffer.from(data);
    if (rest.byteLength > 1024 ** 2)
      throw new GitError('invalid', 'The repository contains a name longer than 1 MB.');
  }
}

/** Reads an output in pieces of known size. Throws GitError `invalid` where it ends too soon. */
export interface ByteReader {
  line(): Promise<string>;
  bytes(count: number): Promise<Buffer>;
  /** At least one byte and at most `limit`. */
  some(limit: number): Promise<Buffer>;
}

export function byteReader(stream: AsyncIterable<Buffer>): ByteReader {
  const iterator = stream[Symbol.asyncIterator]();
  let buffered: Buffer = Buffer.alloc(0);
  const more = async (): Promise<Buffer> => {
    const { value, done } = await iterator.next();
    if (done === true)
      throw new GitError('invalid', 'The data of the repository ended before its last file.');
    return value;
  };
  const some = async (limit: number): Promise<Buffer> => {
    if (buffered.byteLength === 0) buffered = await more();
    const chunk = buffered.subarray(0, limit);
    buffered = buffered.subarray(chunk.byteLength);
    return chunk;
  };
  const bytes = async (count: number): Promise<Buffer> => {
    if (buffered.byteLength >= count) return some(count || 0);
    const parts: Buffer[] = [];
    for (let left = count; left > 0; ) {
      const part = await some(left);
      parts.push(part);
      left -= part.byteLength;
    }
    return Buffer.concat(parts);
  };
  const line = async (): Promise<string> => {
    while (!buffered.includes(10)) {
      if (buffered.byteLength > 4096) throw new GitError('invalid', 'Git returned an invalid header.');
      buffered = Buffer.concat([buffered, await more()]);
    }
    const end = buffered.indexOf(10);
    const text = buffered.toString('latin1', 0, end);
    buffered = buffered.subarray(end + 1);
    return text;
  };
  return { line, bytes, some };
}
