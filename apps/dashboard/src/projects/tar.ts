/** One file to be packed. */
export interface TarFile {
  /** Path with slashes, relative. */
  path: string;
  content: Blob;
}

const BLOCK = 512;
const encoder = new TextEncoder();

/**
 * A tar archive (POSIX ustar, a pax header before names that do not fit) of files, as a stream. Names are
 * written as they are: what is safe to unpack, the server decides.
 */
function tarStream(files: readonly TarFile[], onBytes?: (bytes: number) => void): ReadableStream<Uint8Array> {
  const parts = tarParts(files, onBytes);
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await parts.return(undefined);
    },
  });
}

async function* tarParts(
  files: readonly TarFile[],
  onBytes?: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  let read = 0;
  for (const { path, content } of files) {
    yield* headersOf(path, content.size);
    let written = 0;
    for (let at = 0; at < content.size; at += 1 << 20) {
      const bytes = new Uint8Array(await content.slice(at, at + (1 << 20)).arrayBuffer());
      written += bytes.length;
      read += bytes.length;
      onBytes?.(read);
      yield bytes;
    }
    if (written !== content.size) throw new Error(`${path} changed while it was packed. Try again.`);
    yield new Uint8Array(padding(written));
  }
  yield new Uint8Array(2 * BLOCK);
}

/** A tar.gz of files. `onProgress` receives the share of the bytes read, 0 to 1. */
export async function packFiles(
  files: readonly TarFile[],
  onProgress?: (share: number) => void,
  signal?: AbortSignal,
): Promise<Blob> {
  const total = files.reduce((sum, file) => sum + file.content.size, 0);
  const tar = tarStream(files, (bytes) => onProgress?.(total === 0 ? 1 : bytes / total));
  const gzip = new CompressionStream('gzip') as ReadableWritablePair<Uint8Array, Uint8Array>;
  return new Response(tar.pipeThrough(gzip, signal === undefined ? {} : { signal })).blob();
}

function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

function* headersOf(path: string, size: number): Generator<Uint8Array> {
  const place = ustarPlace(path);
  if (place === null || size >= 8 ** 11) {
    const records = [...(place === null ? [paxRecord('path', path)] : [])];
    if (size >= 8 ** 11) records.push(paxRecord('size', String(size)));
    const body = encoder.encode(records.join(''));
    yield header('PaxHeader/file', '', body.length, 'x');
    yield body;
    yield new Uint8Array(padding(body.length));
  }
  yield header(place?.name ?? 'file', place?.prefix ?? '', size >= 8 ** 11 ? 0 : size, '0');
}

/** Where a path fits the fields of ustar: ASCII, 100 bytes, or 155 and 100 split at a slash. */
function ustarPlace(path: string): { name: string; prefix: string } | null {
  if (!/^[\x20-\x7e]+$/.test(path)) return null;
  if (path.length <= 100) return { name: path, prefix: '' };
  const slash = path.indexOf('/', path.length - 101);
  return slash > 0 && slash <= 155 && slash < path.length - 1
    ? { name: path.slice(slash + 1), prefix: path.slice(0, slash) }
    : null;
}

/** `<length> <key>=<value>\n`, where the length counts itself, in bytes. */
function paxRecord(key: string, value: string): string {
  const rest = encoder.encode(` ${key}=${value}\n`).length;
  let length = rest + 1;
  while (rest + String(length).length !== length) length = rest + String(length).length;
  return `${length} ${key}=${value}\n`;
}

function header(name: string, prefix: string, size: number, type: string): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const put = (text: string, at: number) => block.set(encoder.encode(text), at);
  put(name, 0);
  put('0000644\0', 100);
  put('0000000\0', 108);
  put('0000000\0', 116);
  put(`${size.toString(8).padStart(11, '0')}\0`, 124);
  put('00000000000\0', 136);
  put('        ', 148);
  put(type, 156);
  put('ustar\x0000', 257);
  put(prefix, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}
