/** What a reader sees of a server: requests exactly as given, which `fetch` would tidy. */
import { createHash } from 'node:crypto';
import { type Agent, request } from 'node:http';
import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { createPacker, joinBundle, type ManifestHead, memoryChunks } from '@offprint/bundle';

export interface Answer {
  status: number;
  headers: Record<string, string | undefined>;
  /** As it was sent. */
  body: Buffer;
  /** Decoded. */
  content: Buffer;
}

export function ask(
  port: number,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string; agent?: Agent } = {},
): Promise<Answer> {
  const { body: sentBody, ...rest } = options;
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path, ...rest }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => {
        const body = Buffer.concat(pieces);
        const headers = response.headers as Answer['headers'];
        const coding = body.length === 0 ? undefined : headers['content-encoding'];
        const content =
          coding === 'br' ? brotliDecompressSync(body) : coding === 'gzip' ? gunzipSync(body) : body;
        resolve({ status: response.statusCode ?? 0, headers, body, content });
      });
    });
    sent.on('error', reject);
    sent.end(sentBody);
  });
}

/** Sends bytes unchanged and returns everything received until the server closes. */
export function talk(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.setEncoding('latin1').on('data', (piece: string) => {
      text += piece;
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // what the server said before it reset counts
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.on('close', () => resolve(text));
    socket.write(bytes);
  });
}

export function sha256Of(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Bytes of a bundle of these files. */
export async function packFiles(
  files: Readonly<Record<string, string | Uint8Array>>,
  head: Partial<ManifestHead> = {},
): Promise<Buffer> {
  const store = memoryChunks();
  const packer = createPacker({ store, level: 1 });
  for (const [path, content] of Object.entries(files)) packer.add(path, content);
  const index = await packer.finish({
    site: { domain: 'docs.example.com', name: 'Docs', url: 'https://docs.example.com' },
    version: '1',
    commit: null,
    renderer: { name: 'offprint', version: '0.1.0' },
    redirects: [],
    features: {},
    ...head,
  });
  const pieces: Uint8Array[] = [];
  for await (const piece of joinBundle(index, store.get)) pieces.push(piece);
  return Buffer.concat(pieces);
}
