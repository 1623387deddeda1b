import { createPrivateKey, createPublicKey, sign } from 'node:crypto';

/** DER (X.690), as far as a request for a certificate needs it. */
function tlv(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: Uint8Array[]) => tlv(0x30, ...parts);
const oid = (hex: string) => tlv(0x06, Buffer.from(hex, 'hex'));

const ECDSA_WITH_SHA256 = '2a8648ce3d040302';
const EXTENSION_REQUEST = '2a864886f70d01090e';
const SUBJECT_ALT_NAME = '551d11';

/** A certificate signing request (PKCS #10) in DER for one host, without a subject. `key`: a P-256 key in PEM. */
export function createRequest(key: string, host: string): Buffer {
  const privateKey = createPrivateKey(key);
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  const names = sequence(tlv(0x82, Buffer.from(host, 'latin1')));
  const extensions = sequence(sequence(oid(SUBJECT_ALT_NAME), tlv(0x04, names)));
  const info = sequence(
    tlv(0x02, Buffer.from([0])),
    sequence(),
    publicKey,
    tlv(0xa0, sequence(oid(EXTENSION_REQUEST), tlv(0x31, extensions))),
  );
  const signature = sign('sha256', info, privateKey);
  return sequence(info, sequence(oid(ECDSA_WITH_SHA256)), tlv(0x03, Buffer.from([0]), signature));
}
