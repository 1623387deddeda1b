import { fieldsOf, isText } from '../site-files.ts';
import { MAX_DIMENSIONS } from './quantize.ts';

/** A file is not one of vectors, or it is damaged. */
export class DamagedVectorsError extends Error {
  override name = 'DamagedVectorsError';
}

/** Bytes of the name of a text. */
export const DIGEST_BYTES = 16;
/** Bytes of a file: it is read whole into memory. */
export const MAX_VECTOR_FILE = 64 * 1024 * 1024;
/** Sections of a site. */
export const MAX_VECTORS = 50_000;

const MAGIC = 'OFFPVEC1';
const MAX_HEADER = 64 * 1024;
/** Magic and the length of the header. */
const START = MAGIC.length + 4;

/** Sections of the index of one language, in their order. */
export interface VectorDirectory {
  /** Of the index: `_offprint/search.en.js`. */
  path: string;
  sections: number;
}

/** The vectors of the sections of a site: those of its first index, then those of the next. */
export interface Vectors {
  /** Names what made them: only vectors of the same space can be compared. */
  space: string;
  dimensions: number;
  directories: readonly VectorDirectory[];
  count: number;
  /** `DIGEST_BYTES` for each section: the name of its text. */
  digests: Uint8Array;
  /** `dimensions` for each section; all zero for one without a vector. */
  values: Int8Array;
}

/** The bytes of a file: magic, length of the header, header (JSON), digests, values. */
export function writeVectors({
  space,
  dimensions,
  directories,
  count,
  digests,
  values,
}: Vectors): Uint8Array {
  const header = new TextEncoder().encode(JSON.stringify({ space, dimensions, directories }));
  const file = new Uint8Array(START + header.length + count * (DIGEST_BYTES + dimensions));
  file.set(new TextEncoder().encode(MAGIC));
  new DataView(file.buffer).setUint32(MAGIC.length, header.length, true);
  file.set(header, START);
  file.set(digests, START + header.length);
  file.set(bytesOf(values), START + header.length + digests.length);
  return file;
}

/** Reads a file without copying it. Throws a DamagedVectorsError. */
export function readVectors(file: Uint8Array): Vectors {
  if (file.length < START || new TextDecoder().decode(file.subarray(0, MAGIC.length)) !== MAGIC)
    throw new DamagedVectorsError('The file is not one of vectors.');
  const length = new DataView(file.buffer, file.byteOffset).getUint32(MAGIC.length, true);
  const header = length > MAX_HEADER ? null : readHeader(file.subarray(START, START + length));
  if (header === null) throw new DamagedVectorsError('The header of the vectors is damaged.');
  const { dimensions, directories } = header;
  const count = directories.reduce((sum, { sections }) => sum + sections, 0);
  const begin = START + length;
  if (count > MAX_VECTORS || file.length !== begin + count * (DIGEST_BYTES + dimensions))
    throw new DamagedVectorsError('The file of vectors has another length than its header says.');
  const values = begin + count * DIGEST_BYTES;
  return {
    ...header,
    count,
    digests: file.subarray(begin, values),
    values: new Int8Array(file.buffer, file.byteOffset + values, count * dimensions),
  };
}

function readHeader(bytes: Uint8Array): Pick<Vectors, 'space' | 'dimensions' | 'directories'> | null {
  const fields = fieldsOf(parse(new TextDecoder().decode(bytes)));
  const { space, dimensions, directories } = fields ?? {};
  if (!isText(space) || !isCount(dimensions, MAX_DIMENSIONS) || dimensions === 0) return null;
  if (!Array.isArray(directories)) return null;
  const read = directories.flatMap((entry: unknown): VectorDirectory[] => {
    const { path, sections } = fieldsOf(entry) ?? {};
    return isText(path) && isCount(sections, MAX_VECTORS) ? [{ path, sections }] : [];
  });
  return read.length === directories.length ? { space, dimensions, directories: read } : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const isCount = (value: unknown, most: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most;

const bytesOf = (values: Int8Array): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.length);
