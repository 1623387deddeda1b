import { createHash, generateKeyPairSync, sign } from 'node:crypto';

/** DER (X.690), as far as a certificate for tls-alpn-01 needs it. */
function tlv(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: Uint8Array[]) => tlv(0x30, ...parts);
const oid = (hex: string) => tlv(0x06, Buffer.from(hex, 'hex'));
const integer = (value: number) => tlv(0x02, Buffer.from([value]));

const ecdsaWithSha256 = '2a8648ce3d040302';
const commonName = '550403';
const subjectAltName = '551d11';
const acmeIdentifier = '2b0601050507011f';
const dayMs = 86_400_000;

/**
 * The self-signed certificate that responds to a tls-alpn-01 challenge (RFC 8737): for the host, with the digest of the
 * key authorization. Both in PEM.
 */
export function createChallengeCertificate(
  host: string,
  keyAuthorization: string,
  now = new Date(),
): { cert: string; key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const digest = createHash('sha256').update(keyAuthorization).digest();
  const name = sequence(tlv(0x31, sequence(oid(commonName), tlv(0x0c, Buffer.from('ACME challenge')))));
  const extensions = sequence(
    sequence(oid(subjectAltName), tlv(0x04, sequence(tlv(0x82, Buffer.from(host, 'latin1'))))),
    sequence(oid(acmeIdentifier), tlv(0x01, Buffer.from([0xff])), tlv(0x04, tlv(0x04, digest))),
  );
  const algorithm = sequence(oid(ecdsaWithSha256));
  const content = sequence(
    tlv(0xa0, integer(2)),
    integer(1),
    algorithm,
    name,
    sequence(timeOf(now.getTime() - dayMs), timeOf(now.getTime() + dayMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, extensions),
  );
  const signature = sign('sha256', content, privateKey);
  const der = sequence(content, algorithm, tlv(0x03, Buffer.from([0]), signature));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** A GeneralizedTime, which has four digits for the year. */
function timeOf(ms: number): Buffer {
  const text = new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '');
  return tlv(0x18, Buffer.from(text));
}
