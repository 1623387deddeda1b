import { X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { Log } from '../log.ts';

/** PEM files of the operator. */
export interface CertificateFiles {
  /** The certificate, followed by those between it and the authority. */
  certFile: string;
  keyFile: string;
}

/** A certificate of the operator, such as a wildcard of previews, which no authority issues by http. */
export interface OwnCertificate {
  /** Undefined if the certificate is not for this host. */
  contextOf(host: string): SecureContext | undefined;
  /** Time at which the certificate expires; null without one. */
  expiresAt(): string | null;
  /** Why the files cannot be used; a certificate that was read before stays in use. Null if they can. */
  fault(): string | null;
  stop(): void;
}

interface Loaded {
  certificate: X509Certificate;
  context: SecureContext;
}

const usualPollMs = 60_000;

/** Reads the files, and again when one of them has changed. Never throws: errors are in `fault`. */
export async function followOwnCertificate(
  { certFile, keyFile }: CertificateFiles,
  { log, pollMs = usualPollMs }: { log: Log; pollMs?: number },
): Promise<OwnCertificate> {
  let loaded: Loaded | null = null;
  let fault: string | null = null;
  let known = '';

  const stateOf = async (file: string): Promise<string> => {
    const { mtimeMs, ino, size } = await stat(file);
    return `${mtimeMs} ${ino} ${size}`;
  };
  const load = async (): Promise<void> => {
    try {
      const state = `${await stateOf(certFile)} ${await stateOf(keyFile)}`;
      if (state === known) return;
      const [cert, key] = [await readFile(certFile, 'utf8'), await readFile(keyFile, 'utf8')];
      if (cert.trim() === '' && key.trim() === '') {
        [loaded, fault, known] = [null, null, state];
        return;
      }
      const certificate = new X509Certificate(cert);
      loaded = { certificate, context: createSecureContext({ cert, key, minVersion: 'TLSv1.2' }) };
      known = state;
      fault = null;
      log.info('the certificate of the files is in use', {
        names: certificate.subjectAltName,
        expiresAt: certificate.validToDate.toISOString(),
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      // while one file is replaced before the other, the two do not fit together for a moment
      const message = `The certificate of OFFPRINT_SITE_TLS_CERT_FILE and OFFPRINT_SITE_TLS_KEY_FILE cannot be used: ${reason}`;
      if (fault !== message) log.warn(message);
      fault = message;
    }
  };

  await load();
  const timer = setInterval(() => void load(), pollMs).unref();
  return {
    contextOf(host) {
      if (loaded === null || loaded.certificate.checkHost(host) === undefined) return undefined;
      return loaded.context;
    },
    expiresAt: () => loaded?.certificate.validToDate.toISOString() ?? null,
    fault: () => fault,
    stop: () => clearInterval(timer),
  };
}
