const polynomial = 0xedb88320;

/** Product of two polynomials over GF(2) modulo the CRC-32 polynomial, both bit-reflected. */
function multiply(left: number, right: number): number {
  let product = 0;
  let factor = right;
  for (let mask = 0x80000000; mask !== 0; mask >>>= 1) {
    if (left & mask) product ^= factor;
    factor = factor & 1 ? (factor >>> 1) ^ polynomial : factor >>> 1;
  }
  return product >>> 0;
}

/** x to the power of 2^n, for n bits of length. */
const powers = [0x40000000];
for (let n = 1; n < 64; n++) powers.push(multiply(powers[n - 1]!, powers[n - 1]!));

/**
 * CRC-32 of two joined pieces, from the CRC-32 of each and the byte length of the second (the method of
 * zlib's `crc32_combine`). Unsigned.
 */
export function combineCrc32(first: number, second: number, secondLength: number): number {
  let shift = 0x80000000;
  let bit = 3; // a byte is 2^3 bits
  for (let rest = secondLength; rest > 0; rest = Math.floor(rest / 2), bit++) {
    if (rest % 2 === 1) shift = multiply(powers[bit]!, shift);
  }
  return (multiply(shift, first) ^ second) >>> 0;
}
