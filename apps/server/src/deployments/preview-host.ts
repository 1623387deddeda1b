import { randomBytes } from 'node:crypto';

/** Longest label of a DNS name. */
const MAX_LABEL = 63;
/** Without letters and digits that are easily confused. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const ID_LENGTH = 12;

/**
 * First label of the host of a preview: the branch in letters that a label can have, and a random part of 59 bits, so that
 * nobody finds a preview by its branch.
 */
export function newPreviewLabel(branch: string): string {
  const slug = branch
    .normalize('NFKD')
    .toLowerCase()
    // One hyphen at most at a time: `xn--` would start an international name.
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, MAX_LABEL - ID_LENGTH - 1)
    .replace(/-+$/, '');
  return `${slug === '' ? 'preview' : slug}-${randomPart()}`;
}

function randomPart(): string {
  let text = '';
  while (text.length < ID_LENGTH) {
    for (const byte of randomBytes(ID_LENGTH)) {
      // Bytes above the last multiple would make some characters more likely.
      if (byte >= 256 - (256 % ALPHABET.length) || text.length === ID_LENGTH) continue;
      text += ALPHABET[byte % ALPHABET.length];
    }
  }
  return text;
}
