import type { Vectors } from './vector-file.ts';

/** Vectors in memory, ready to be compared. */
export interface ComparableVectors extends Vectors {
  /** 1 / length of each vector; 0 for a section without one. */
  shares: Float32Array;
}

export function prepareVectors(vectors: Vectors): ComparableVectors {
  const { count, dimensions, values } = vectors;
  const shares = new Float32Array(count);
  for (let row = 0; row < count; row++) {
    let sum = 0;
    for (let at = row * dimensions; at < (row + 1) * dimensions; at++) {
      const value = values[at] ?? 0;
      sum += value * value;
    }
    shares[row] = sum === 0 ? 0 : 1 / Math.sqrt(sum);
  }
  return { ...vectors, shares };
}

/**
 * Writes the cosines of a query and the vectors from one section to another into `cosines`: every vector is compared. Of a
 * section without a vector, it is 0.
 */
export function compareVectors(
  { dimensions, values, shares }: ComparableVectors,
  query: Int32Array,
  cosines: Float32Array,
  from: number,
  to: number,
): void {
  if (query.length !== dimensions) throw new RangeError('The query has another number of dimensions.');
  let length = 0;
  for (const value of query) length += value * value;
  const share = length === 0 ? 0 : 1 / Math.sqrt(length);
  let row = from;
  for (; row + ROWS <= to; row += ROWS) multiplyRows(query, values, row, cosines);
  for (; row < to; row++) cosines[row] = multiplyRow(query, values, row);
  for (row = from; row < to; row++) cosines[row] = (cosines[row] ?? 0) * (shares[row] ?? 0) * share;
}

const ROWS = 4;

/** Four vectors at a time, so that each value of the query is read once for them: a third faster than one by one. */
function multiplyRows(query: Int32Array, values: Int8Array, row: number, products: Float32Array): void {
  const { length } = query;
  const even = length - (length % 2);
  const first = row * length;
  const second = first + length;
  const third = second + length;
  const fourth = third + length;
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let at = 0; at < even; at += 2) {
    const x = query[at]!;
    const y = query[at + 1]!;
    a = (a + Math.imul(x, values[first + at]!) + Math.imul(y, values[first + at + 1]!)) | 0;
    b = (b + Math.imul(x, values[second + at]!) + Math.imul(y, values[second + at + 1]!)) | 0;
    c = (c + Math.imul(x, values[third + at]!) + Math.imul(y, values[third + at + 1]!)) | 0;
    d = (d + Math.imul(x, values[fourth + at]!) + Math.imul(y, values[fourth + at + 1]!)) | 0;
  }
  const last = even < length ? query[even]! : 0;
  products[row] = a + last * (values[first + even] ?? 0);
  products[row + 1] = b + last * (values[second + even] ?? 0);
  products[row + 2] = c + last * (values[third + even] ?? 0);
  products[row + 3] = d + last * (values[fourth + even] ?? 0);
}

function multiplyRow(query: Int32Array, values: Int8Array, row: number): number {
  let sum = 0;
  for (let at = 0, place = row * query.length; at < query.length; at++, place++)
    sum = (sum + Math.imul(query[at]!, values[place]!)) | 0;
  return sum;
}
