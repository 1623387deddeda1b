/** llms-full.txt from its parts, of which the earlier render has written most. */
import { KNOWN_PART, LLMS_BETWEEN, LLMS_END, type LlmsPart, partSize } from '../output/llms.ts';
import type { Page } from '../site.ts';
import type { PiecedFile, StoredFile } from '../stored-file.ts';
import { StaleRenderError } from './stale-render.ts';
import type { State } from './state.ts';

type Sizes = State['llms'];

interface JoinedParts {
  sizes: Sizes;
  /** null if no part is known. */
  file: PiecedFile | null;
}

/** Where a known part is in the earlier file. */
interface Place {
  from: number;
  size: number;
}

/** `known` are the parts of the earlier file, in its order. */
export function joinKnownLlms(
  parts: readonly LlmsPart[],
  known: Sizes,
  numberOf: (page: Page) => number,
  earlier: StoredFile | null,
): JoinedParts {
  const places = placesOf(known);
  const placeOf = (number: number): Place => {
    const place = places.get(number);
    if (place === undefined) throw new StaleRenderError();
    return place;
  };
  const sizes = parts.map((part) => {
    const number = part.page === null ? -1 : numberOf(part.page);
    return [number, part.text === KNOWN_PART ? placeOf(number).size : partSize(part)] as const;
  });
  if (!parts.some(({ text }) => text === KNOWN_PART)) return { sizes, file: null };
  if (earlier === null || sizeOf(known) !== earlier.size) throw new StaleRenderError();
  const contents = parts.map(({ text }, at) =>
    text === KNOWN_PART ? placeOf(sizes[at]?.[0] ?? -1) : Buffer.from(text.join('')),
  );
  return { sizes, file: { size: sizeOf(sizes), pieces: () => merge(contents, earlier) } };
}

function placesOf(known: Sizes): Map<number, Place> {
  const places = new Map<number, Place>();
  let from = 0;
  for (const [number, size] of known) {
    places.set(number, { from, size });
    from += size + LLMS_BETWEEN.length;
  }
  return places;
}

const sizeOf = (sizes: Sizes): number =>
  sizes.reduce((sum, [, size]) => sum + size + LLMS_BETWEEN.length, 0) -
  LLMS_BETWEEN.length +
  LLMS_END.length;

const isPlace = (content: Buffer | Place): content is Place => 'from' in content;

function* merge(contents: readonly (Buffer | Place)[], earlier: StoredFile): Generator<Uint8Array> {
  const places = contents.filter(isPlace);
  const isInOrder = places.every(({ from }, at) => from >= (places[at - 1]?.from ?? 0));
  const read = isInOrder ? readForward(earlier) : readAnywhere(earlier);
  for (const [at, content] of contents.entries()) {
    if (isPlace(content)) yield* read(content);
    else yield content;
    yield Buffer.from(at < contents.length - 1 ? LLMS_BETWEEN : LLMS_END);
  }
}

/** Reads places of a file one after the other, with no more than a piece of it in memory. */
function readForward(file: StoredFile): (place: Place) => Generator<Uint8Array> {
  const pieces = file.pieces()[Symbol.iterator]();
  let piece: Uint8Array = new Uint8Array();
  let position = 0;
  const take = (size: number): Uint8Array => {
    if (piece.length === 0) {
      const next = pieces.next();
      if (next.done === true) throw new StaleRenderError();
      piece = next.value;
    }
    const part = piece.subarray(0, size);
    piece = piece.subarray(part.length);
    position += part.length;
    return part;
  };
  return function* ({ from, size }) {
    while (position < from) take(from - position);
    while (position < from + size) yield take(from + size - position);
  };
}

function readAnywhere(file: StoredFile): (place: Place) => Generator<Uint8Array> {
  const whole = Buffer.concat([...file.pieces()]);
  return function* ({ from, size }) {
    yield whole.subarray(from, from + size);
  };
}
