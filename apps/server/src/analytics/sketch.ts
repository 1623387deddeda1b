/**
 * Estimates how many different visitors there were. A sketch of few visitors is the list of their values, which counts
 * exactly; one of many is a HyperLogLog (Flajolet and others, 2007) with 4,096 registers and a standard error of 1.6%.
 * The values are bits of a keyed hash, so nobody can choose them to distort the estimate.
 */

const PRECISION = 12;
const REGISTERS = 1 << PRECISION;
/** Bytes of a value. */
const WIDTH = 8;
/** Values in a list: beyond, the registers are smaller. */
export const MAX_LISTED = 1_000;
const LIST = 0;
const DENSE = 1;

/** A set of visitors, of which the number is known. */
export interface Sketch {
  /** `value`: 8 bytes. */
  add(value: Buffer): void;
  count(): number;
  /** The form in which it is stored. */
  bytes(): Buffer;
}

/** Opens a stored sketch; null makes an empty one. Throws RangeError for other bytes. */
export function openSketch(stored: Buffer | null): Sketch {
  let listed = new Set<string>();
  let registers: Uint8Array | null = null;
  if (stored?.[0] === LIST && (stored.length - 1) % WIDTH === 0) {
    for (let at = 1; at < stored.length; at += WIDTH) listed.add(stored.toString('latin1', at, at + WIDTH));
  } else if (stored?.[0] === DENSE && stored.length === REGISTERS + 1) {
    registers = Uint8Array.from(stored.subarray(1));
  } else if (stored !== null) throw new RangeError('The bytes are not a sketch.');

  return {
    add(value) {
      if (value.length !== WIDTH) throw new RangeError(`A visitor has ${WIDTH} bytes, not ${value.length}.`);
      if (registers !== null) return note(registers, value);
      listed.add(value.toString('latin1'));
      if (listed.size <= MAX_LISTED) return;
      registers = new Uint8Array(REGISTERS);
      for (const one of listed) note(registers, Buffer.from(one, 'latin1'));
      listed = new Set();
    },
    count: () => (registers === null ? listed.size : estimate(registers)),
    bytes() {
      if (registers !== null) return Buffer.concat([Buffer.of(DENSE), registers]);
      return Buffer.concat([Buffer.of(LIST), ...[...listed].sort().map((one) => Buffer.from(one, 'latin1'))]);
    },
  };
}

function note(registers: Uint8Array, value: Buffer): void {
  const high = value.readUInt32BE(0);
  const index = high >>> (32 - PRECISION);
  const rest = (high << PRECISION) >>> 0;
  // The position of the first bit that is set after those of the index.
  const rank = rest === 0 ? 32 - PRECISION + Math.clz32(value.readUInt32BE(4)) + 1 : Math.clz32(rest) + 1;
  registers[index] = Math.max(registers[index] ?? 0, rank);
}

function estimate(registers: Uint8Array): number {
  let sum = 0;
  let empty = 0;
  for (const rank of registers) {
    sum += 2 ** -rank;
    if (rank === 0) empty += 1;
  }
  const raw = ((0.7213 / (1 + 1.079 / REGISTERS)) * REGISTERS * REGISTERS) / sum;
  // Few visitors leave registers empty, and their number says more.
  const isSmall = raw <= 2.5 * REGISTERS && empty > 0;
  return Math.round(isSmall ? REGISTERS * Math.log(REGISTERS / empty) : raw);
}
