const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const bodyLength = 32;
const checksumLength = 6;

/** First characters of every admin API key. */
export const keyPrefix = 'offprint_';

/** Finds admin API keys in text, for secret scanners and log redaction. */
export const keyPattern = /offprint_[0-9A-Za-z]{38}/;

const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** CRC-32 (ISO 3309, as in gzip) of ASCII text, unsigned. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let i = 0; i < text.length; i++) crc = crcTable[(crc ^ text.charCodeAt(i)) & 0xff]! ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = alphabet[Number(rest % 62n)] + text;
  return text;
}

/** The six base62 characters of CRC-32 that end a key with this body. */
export function keyChecksum(body: string): string {
  return base62(BigInt(crc32(body)), checksumLength);
}

/**
 * An admin API key: `offprint_`, 32 base62 characters of secret (190 bits), 6 of CRC-32.
 * `random` is at least 32 bytes of the operating system's generator (enough that the reduction to base62 has
 * no measurable bias), or the 32 characters themselves.
 */
export function formatKey(random: Uint8Array | string): string {
  const body = typeof random === 'string' ? random : bodyOf(random);
  if (!/^[0-9A-Za-z]{32}$/.test(body)) throw new RangeError('The body of a key is 32 base62 characters.');
  return keyPrefix + body + keyChecksum(body);
}

function bodyOf(random: Uint8Array): string {
  if (random.length < 32) throw new RangeError(`A key takes at least 32 random bytes, not ${random.length}.`);
  let value = 0n;
  for (const byte of random) value = (value << 8n) | BigInt(byte);
  return base62(value, bodyLength);
}

/** Whether the text is a key by form and checksum: true for every real key, false for a mistyped one. */
export function isWellFormedKey(text: string): boolean {
  if (!/^offprint_[0-9A-Za-z]{38}$/.test(text)) return false;
  const body = text.slice(keyPrefix.length, -checksumLength);
  return text.slice(-checksumLength) === keyChecksum(body);
}
