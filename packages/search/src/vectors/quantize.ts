/** Dimensions that are accepted: models in use have up to 4,096. */
export const MAX_DIMENSIONS = 4_096;

/** Largest value of a stored dimension, of one byte. */
const STORED = 127;
/** Largest value of a dimension of a query: products are added in 32 bits, 127 × 2,047 × 4,096 of them. */
const QUERY = 2_047;

/** A vector with one byte for each dimension, in the direction of the given one; null for one without a direction. */
export function quantize(values: readonly number[]): Int8Array | null {
  const scale = scaleOf(values, STORED);
  return scale === null ? null : Int8Array.from(values, (value) => Math.round(value * scale));
}

/** As `quantize`, finer: of a query there is only one. */
export function quantizeQuery(values: readonly number[]): Int32Array | null {
  const scale = scaleOf(values, QUERY);
  return scale === null ? null : Int32Array.from(values, (value) => Math.round(value * scale));
}

/** Vectors are compared by direction, so that each may have a scale of its own. */
function scaleOf(values: readonly number[], largest: number): number | null {
  if (values.length === 0 || values.length > MAX_DIMENSIONS) return null;
  let most = 0;
  for (const value of values) {
    if (!Number.isFinite(value)) return null;
    most = Math.max(most, Math.abs(value));
  }
  const scale = largest / most;
  return most > 0 && Number.isFinite(scale) ? scale : null;
}
