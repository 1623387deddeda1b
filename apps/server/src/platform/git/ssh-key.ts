import { generateKeyPairSync, randomBytes } from 'node:crypto';

export interface SshKey {
  /** OpenSSH text, without a passphrase. */
  privateKey: string;
  /** One line, as forges take it: `ssh-ed25519 AAAA… comment`. */
  publicKey: string;
}

const TYPE = 'ssh-ed25519';
const BLOCK = 8;

/** Makes an Ed25519 key pair in the format of OpenSSH, which every version of ssh reads. */
export function newSshKey(comment: string): SshKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' });
  const [seed, point] = [Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')];
  const publicBlob = Buffer.concat([field(TYPE), field(point)]);
  // The same number twice shows a reader that the decryption succeeded.
  const check = randomBytes(4);
  const secret = Buffer.concat([
    check,
    check,
    field(TYPE),
    field(point),
    field(Buffer.concat([seed, point])),
    field(comment),
  ]);
  const padding = Buffer.from(
    Array.from({ length: (BLOCK - (secret.length % BLOCK)) % BLOCK }, (_, index) => index + 1),
  );
  const content = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    field('none'),
    field('none'),
    field(''),
    number(1),
    field(publicBlob),
    field(Buffer.concat([secret, padding])),
  ]);
  const lines = content.toString('base64').match(/.{1,70}/g) ?? [];
  return {
    privateKey: `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines.join('\n')}\n-----END OPENSSH PRIVATE KEY-----\n`,
    publicKey: `${TYPE} ${publicBlob.toString('base64')} ${comment}`,
  };
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function field(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value as string);
  return Buffer.concat([number(bytes.length), bytes]);
}
