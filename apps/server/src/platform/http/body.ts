import { Readable } from 'node:stream';
import { findJsonError } from '@offprint/render/json';
import type { FastifyInstance } from 'fastify';
import { AppError } from './error.ts';

/** Largest JSON body in bytes. */
export const JSON_BODY_LIMIT = 1_000_000;

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json(?:\s*;|$)/i;

/** Reads JSON bodies as strict UTF-8, and leaves the bytes of uploads to their handler. */
export function registerBodyParsers(app: FastifyInstance, byteTypes: Iterable<string>): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    JSON_TYPE,
    { parseAs: 'buffer', bodyLimit: JSON_BODY_LIMIT },
    (request, content, done) => {
      // A forge signs the bytes of its JSON, so they are what the handler needs.
      if (request.routeOptions.config.takesBytes === true) {
        done(null, Readable.from([content], { objectMode: false }));
        return;
      }
      try {
        done(null, parseJson(content as Buffer, request.headers['content-type'] ?? ''));
      } catch (error) {
        done(error as Error);
      }
    },
  );
  for (const type of new Set(byteTypes)) {
    if (JSON_TYPE.test(type)) continue;
    app.addContentTypeParser(type, (_request, content, done) => done(null, content));
  }
}

function parseJson(content: Buffer, contentType: string): unknown {
  const charset = /charset\s*=\s*"?([^";\s]+)/i.exec(contentType)?.[1]?.toLowerCase();
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') {
    throw new AppError('unsupported_media_type', 'JSON is accepted as UTF-8 only.', {
      param: 'Content-Type',
    });
  }
  if (content.length === 0) return undefined;
  const text = decode(content);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new AppError('invalid_json', `The body is not valid JSON: ${reasonOf(text)}.`, { cause: error });
  }
}

function decode(content: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch (error) {
    throw new AppError('invalid_json', 'The body is not valid UTF-8.', { cause: error });
  }
}

/** Where the JSON breaks, without the caller's own text, which may hold a secret. */
function reasonOf(text: string): string {
  const error = findJsonError(text);
  if (error === null) return 'it cannot be parsed';
  if (!error.endsEarly) return `unexpected text at line ${error.line}, column ${error.column}`;
  const lines = text.split('\n');
  return `it ends early, at line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}
