import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';

const nonceBytes = 12;
const tagBytes = 16;

/** A file that only holders of a token can read. */
export interface SealedFile {
  /** Null if it does not exist, or was written with another token. */
  read(): Promise<string | null>;
  write(text: string): Promise<void>;
}

/** Encrypts with AES-256-GCM under a key that is derived from the token. */
export function openSealedFile(path: string, token: string): SealedFile {
  const key = Buffer.from(hkdfSync('sha256', token, '', 'offprint-site/certificates', 32));
  return {
    async read() {
      const sealed = await readFile(path).catch(() => null);
      if (sealed === null || sealed.length < nonceBytes + tagBytes) return null;
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes));
      decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
      try {
        const parts = [decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()];
        return Buffer.concat(parts).toString('utf8');
      } catch {
        return null;
      }
    },
    async write(text) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const content = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      const temporary = `${path}.${process.pid}.tmp`;
      const sealed = Buffer.concat([nonce, cipher.getAuthTag(), content]);
      await writeFile(temporary, sealed, { mode: 0o600, flush: true });
      await rename(temporary, path);
    },
  };
}
