import { createHash } from 'node:crypto';
import {
  DIGEST_BYTES,
  MAX_DIMENSIONS,
  MAX_VECTOR_FILE,
  MAX_VECTORS,
  quantize,
  type ReadFile,
  readSectionTexts,
  type Vectors,
} from '@offprint/search';
import type { EmbeddingPort } from '../platform/model/embed.ts';
import { ModelError } from '../platform/model/port.ts';

/** Vectors of a site cannot be made; the message is for people. */
export class VectorsError extends Error {
  override name = 'VectorsError';
  /** Trying again can help. */
  readonly retryable: boolean;
  constructor(message: string, { retryable = false }: { retryable?: boolean } = {}) {
    super(message);
    this.retryable = retryable;
  }
}

/** What is known has another number of dimensions than what the endpoint now returns. */
export class OtherDimensionsError extends Error {
  override name = 'OtherDimensionsError';
}

/** Texts of one request: servers of teams often take no more. */
const BATCH = 32;
/** Characters that every model takes. */
const SHORTEST = 500;

/** The sections of a site with the vectors that are known of them. */
export interface Draft {
  space: string;
  directories: Vectors['directories'];
  /** Names of the texts of all sections. */
  digests: Uint8Array;
  /** Number of the text of each section: several sections can have the same. */
  texts: Int32Array;
  /** Numbers of texts by their names. */
  numbers: ReadonlyMap<string, number>;
  /** Vectors by numbers of texts; null: unknown. */
  known: (Int8Array | null)[];
  dimensions: number | null;
}

/** Reads the sections of a site. Throws a VectorsError for one with too many, and a DamagedIndexError. */
export async function readDraft(read: ReadFile, space: string): Promise<Draft> {
  const directories: { path: string; sections: number }[] = [];
  const names: Buffer[] = [];
  const numbers = new Map<string, number>();
  const texts: number[] = [];
  for await (const { directory, texts: ofPage } of readSectionTexts(read)) {
    if (directories.at(-1)?.path !== directory) directories.push({ path: directory, sections: 0 });
    const last = directories.at(-1);
    if (last !== undefined) last.sections += ofPage.length;
    for (const text of ofPage) {
      const name = nameOf(space, text);
      const key = keyOf(name);
      const number = numbers.get(key) ?? numbers.size;
      numbers.set(key, number);
      names.push(name);
      texts.push(number);
    }
    if (texts.length > MAX_VECTORS)
      throw new VectorsError(
        `The site has more than ${MAX_VECTORS.toLocaleString('en')} sections, the most that can have vectors.`,
      );
  }
  if (texts.length === 0)
    throw new VectorsError(
      'The site has no search index. Enable the search of the project, and deploy the site again.',
    );
  return {
    space,
    directories,
    digests: Buffer.concat(names),
    texts: Int32Array.from(texts),
    numbers,
    known: Array.from({ length: numbers.size }, () => null),
    dimensions: null,
  };
}

/** Takes the vectors of texts that have not changed; how many. */
export function takeKnown(draft: Draft, { digests, dimensions, values }: Vectors): number {
  let taken = 0;
  if (draft.dimensions !== null && draft.dimensions !== dimensions) return taken;
  for (let row = 0; row * DIGEST_BYTES < digests.length; row++) {
    const number = draft.numbers.get(keyOf(digests.subarray(row * DIGEST_BYTES, (row + 1) * DIGEST_BYTES)));
    if (number === undefined || draft.known[number] !== null) continue;
    // a copy: a view would keep all of the file in memory
    const vector = values.slice(row * dimensions, (row + 1) * dimensions);
    if (vector.every((value) => value === 0)) continue;
    draft.known[number] = vector;
    draft.dimensions = dimensions;
    taken++;
  }
  return taken;
}

/**
 * Asks the model for the vectors that are unknown, some texts at a time; `onBatch` is called before each request after
 * the first. Returns how many texts were sent. Throws ModelError, VectorsError and OtherDimensionsError.
 */
export async function embedMissing(
  draft: Draft,
  read: ReadFile,
  model: EmbeddingPort,
  options: { signal: AbortSignal; timeoutMs: number; onBatch(): Promise<void> },
): Promise<number> {
  let limit = Number.POSITIVE_INFINITY;
  let sent = 0;
  let batch = new Map<number, string>();
  const send = async (): Promise<void> => {
    if (batch.size === 0) return;
    if (sent > 0) await options.onBatch();
    const answer = await embedWithin([...batch.values()], limit, model, options);
    limit = answer.limit;
    const numbers = [...batch.keys()];
    for (const [at, vector] of answer.vectors.entries()) keep(draft, numbers[at] ?? 0, vector);
    sent += batch.size;
    batch = new Map();
  };
  for await (const { texts } of readSectionTexts(read))
    for (const text of texts) {
      const number = draft.numbers.get(keyOf(nameOf(draft.space, text)));
      if (number === undefined || draft.known[number] !== null) continue;
      batch.set(number, text);
      if (batch.size === BATCH) await send();
    }
  await send();
  return sent;
}

/** Shortens texts that are too long for the model, and keeps to what it has taken. */
async function embedWithin(
  texts: readonly string[],
  limit: number,
  model: EmbeddingPort,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
): Promise<{ vectors: readonly (readonly number[])[]; limit: number }> {
  for (let most = limit; ; ) {
    const cut = texts.map((text) => text.slice(0, most).toWellFormed());
    try {
      return { vectors: await model.embed(cut, { signal, timeoutMs }), limit: most };
    } catch (error) {
      if (!(error instanceof ModelError) || error.fault !== 'context-overflow') throw error;
      const longest = Math.max(...cut.map((text) => text.length));
      if (longest <= SHORTEST)
        throw new VectorsError(`The model does not take texts of ${SHORTEST} characters: ${error.message}`);
      most = Math.max(SHORTEST, Math.floor(longest / 2));
    }
  }
}

function keep(draft: Draft, number: number, vector: readonly number[]): void {
  if (draft.dimensions !== null && draft.dimensions !== vector.length) throw new OtherDimensionsError();
  draft.dimensions = vector.length;
  checkSize(draft, vector.length);
  draft.known[number] = quantize(vector);
}

function checkSize({ texts }: Draft, dimensions: number): void {
  const most = Math.min(MAX_DIMENSIONS, Math.floor(MAX_VECTOR_FILE / texts.length) - DIGEST_BYTES - 1);
  if (dimensions > most)
    throw new VectorsError(
      `The site has ${texts.length.toLocaleString('en')} sections, which can have vectors of at most ${most} dimensions; those of the model have ${dimensions}. Set \`dimensions\`, or use another model.`,
    );
}

/** What is known of a site. Throws a VectorsError if nothing is. */
export function vectorsOf({ space, directories, digests, texts, known, dimensions }: Draft): Vectors {
  if (dimensions === null || known.every((vector) => vector === null))
    throw new VectorsError('The model returned no vector with a direction.');
  const values = new Int8Array(texts.length * dimensions);
  for (const [row, number] of texts.entries()) {
    const vector = known[number] ?? null;
    if (vector !== null) values.set(vector, row * dimensions);
  }
  return { space, dimensions, directories, count: texts.length, digests, values };
}

const nameOf = (space: string, text: string): Buffer =>
  createHash('sha256').update(`${space}\n${text}`).digest().subarray(0, DIGEST_BYTES);

const keyOf = (name: Uint8Array): string => Buffer.from(name).toString('latin1');
