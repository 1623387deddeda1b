import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadEmbeddingSchemas } from './model-schema.ts';

/** The ways in which an endpoint for vectors misbehaves. */
export type EmbeddingFault =
  | { kind: 'status'; status: number; message?: string; code?: string }
  /** Nothing at all, not even a head. */
  | { kind: 'hang' }
  | { kind: 'redirect'; to: string }
  /** This body, with the status 200. */
  | { kind: 'body'; body: string; type?: string }
  /** A body without an end. */
  | { kind: 'endless' };

export interface EmbeddingServerOptions {
  /** Meanings: texts with one of the words of a line are close to each other. Default: none. */
  meanings?: readonly (readonly string[])[];
  /** Default 64. */
  dimensions?: number;
  /** Only this key is let in. */
  apiKey?: string;
  /** Longest text, in characters. */
  maxText?: number;
}

export interface EmbeddingServer {
  /** Base URL for `openai` and `openai-compatible`. */
  url: string;
  /** The texts of each request that got vectors, in their order. */
  requests: string[][];
  headers: IncomingMessage['headers'][];
  /** Milliseconds before each response. */
  delayMs: number;
  /** What happens instead of a response, until it is null again. */
  fault: EmbeddingFault | null;
  dimensions: number;
  /** What did not fit the description of the API, in either direction. */
  violations: string[];
  /** Stops it. Throws when there was any violation. */
  close(): Promise<void>;
}

/** The embeddings of OpenAI over the wire, on a free loopback port, by meanings and by words. */
export async function startEmbeddingServer(options: EmbeddingServerOptions = {}): Promise<EmbeddingServer> {
  const schemas = loadEmbeddingSchemas();
  const verify = (what: string, fault: string | null): void => {
    if (fault !== null) double.violations.push(`${what}: ${fault}`);
  };

  const refuse = (response: ServerResponse, status: number, message: string, code: string): void => {
    const error = { error: { message, type: code, param: null, code } };
    verify('error', schemas.error(error));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(error));
  };

  const misbehave = (response: ServerResponse, fault: EmbeddingFault): void => {
    if (fault.kind === 'status')
      refuse(response, fault.status, fault.message ?? 'Fault of the test.', fault.code ?? 'api_error');
    if (fault.kind === 'redirect') response.writeHead(307, { location: fault.to }).end();
    if (fault.kind === 'body')
      response.writeHead(200, { 'content-type': fault.type ?? 'application/json' }).end(fault.body);
    if (fault.kind !== 'endless') return;
    const piece = ' '.repeat(64 * 1024);
    const more = (): void => {
      while (!response.destroyed && response.write(piece));
    };
    response.writeHead(200, { 'content-type': 'application/json' }).on('drain', more);
    more();
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.url !== '/v1/embeddings' || request.method !== 'POST') {
      double.violations.push(`${request.method} ${request.url} is not a request for embeddings`);
      return void response.writeHead(404).end();
    }
    const key = (request.headers.authorization ?? '').replace(/^Bearer /, '');
    if (options.apiKey !== undefined && key !== options.apiKey)
      return refuse(response, 401, `Incorrect API key provided: ${key}.`, 'invalid_api_key');
    const body = JSON.parse(Buffer.concat(chunks).toString());
    verify('request', schemas.request(body));
    const texts: string[] = typeof body.input === 'string' ? [body.input] : body.input;
    if (double.delayMs > 0) await sleep(double.delayMs);
    if (double.fault !== null) return misbehave(response, double.fault);
    if (texts.some((text) => text.length > (options.maxText ?? Number.POSITIVE_INFINITY)))
      return refuse(
        response,
        400,
        "This model's maximum context length is 128 tokens. Please reduce your prompt.",
        'context_length_exceeded',
      );
    double.requests.push(texts);
    double.headers.push(request.headers);
    const dimensions: number = body.dimensions ?? double.dimensions;
    const sent = {
      object: 'list',
      model: body.model,
      data: texts.map((text, index) => ({
        object: 'embedding',
        index,
        embedding: vectorOf(text, options.meanings ?? [], dimensions),
      })),
      usage: { prompt_tokens: texts.length, total_tokens: texts.length },
    };
    verify('response', schemas.response(sent));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(sent));
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => {
      double.violations.push(`The double failed: ${error.message}`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const double: EmbeddingServer = {
    url: `http://127.0.0.1:${port}/v1`,
    requests: [],
    headers: [],
    delayMs: 0,
    fault: null,
    dimensions: options.dimensions ?? 64,
    violations: [],
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      if (double.violations.length > 0)
        throw new Error(`The endpoint was misused:\n${double.violations.join('\n')}`);
    },
  };
  return double;
}

/** One dimension for each meaning, and a little of every word in the others, always the same. */
function vectorOf(text: string, meanings: readonly (readonly string[])[], dimensions: number): number[] {
  const vector = Array.from({ length: dimensions }, () => 0.01);
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  for (const [at, meaning] of meanings.entries())
    vector[at % dimensions]! += words.some((word) => meaning.includes(word)) ? 1 : 0;
  for (const word of words) {
    let hash = 7;
    for (const letter of word) hash = (hash * 31 + letter.codePointAt(0)!) >>> 0;
    vector[hash % dimensions]! += 0.05;
  }
  return vector;
}
