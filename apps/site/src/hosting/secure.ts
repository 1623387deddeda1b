import { join } from 'node:path';
import { makeFolder } from '@offprint/bundle/make-folder';
import type { StopOptions } from '../serving/connections.ts';
import {
  type CertificateSource,
  type CertificateStatus,
  type Certificates,
  followCertificates,
} from '../tls/follow.ts';
import { startTlsListener, type TlsListener } from '../tls/listener.ts';
import { type CertificateFiles, followOwnCertificate, type OwnCertificate } from '../tls/own-certificate.ts';
import { createPlainHandler } from '../tls/plain.ts';
import { openSealedFile } from '../tls/sealed-file.ts';
import { type Hosting, type HostingOptions, startHosting } from './hosting.ts';

export interface SecureHostingOptions extends Omit<HostingOptions, 'respondPlain'> {
  /** Certificates and challenges of the platform. */
  source: CertificateSource;
  /** Port for https, on the IP address of the port for http; 0 picks a free port. Null: no certificates are used. */
  tls: {
    port: number;
    token: string;
    /** For hosts without a certificate of the platform. Default: none. */
    files?: CertificateFiles | null;
  } | null;
}

/** Many sites, by http and https. */
export interface SecureHosting extends Hosting {
  /** Null without TLS. */
  tlsPort: number | null;
  /** Null without TLS. */
  certificates: (() => CertificateStatus) | null;
}

/** In the folder of releases; encrypted with the token. */
const certificateFile = 'certificates.sealed';

/**
 * Serves many sites by http, with the responses to challenges and to verifications of domains, and by https with the
 * certificates of the platform. Throws if the volume or a port cannot be opened.
 */
export async function startSecureHosting({
  source,
  tls,
  ...options
}: SecureHostingOptions): Promise<SecureHosting> {
  let certificates: Certificates | null = null;
  let own: OwnCertificate | null = null;
  let listener: TlsListener | null = null;
  if (tls !== null) {
    await makeFolder(options.dir);
    const file = openSealedFile(join(options.dir, certificateFile), tls.token);
    certificates = await followCertificates({ source, file, log: options.log });
    const { files = null } = tls;
    own = files === null ? null : await followOwnCertificate(files, { log: options.log });
  }
  const contextOf = (host: string) => certificates?.contextOf(host) ?? own?.contextOf(host);
  const has = (host: string): boolean => contextOf(host) !== undefined;
  try {
    const hosting = await startHosting({
      ...options,
      respondPlain: createPlainHandler({
        certificates: { has },
        source,
        httpsPort: () => listener?.port ?? 443,
      }),
    });
    const stop = async (stopOptions?: StopOptions): Promise<void> => {
      // nothing new first; connections that are open end with those of http
      await listener?.stop();
      own?.stop();
      await Promise.all([hosting.stop(stopOptions), certificates?.stop()]);
    };
    if (tls !== null && certificates !== null)
      listener = await startTlsListener({
        host: options.host,
        port: tls.port,
        certificates: { contextOf },
        source,
        deliver: hosting.accept,
      }).catch(async (error: unknown) => {
        await hosting.stop();
        throw error;
      });
    return {
      ...hosting,
      tlsPort: listener?.port ?? null,
      certificates: certificates === null ? null : () => statusOf(certificates.status(), own),
      stop,
    };
  } catch (error) {
    own?.stop();
    await certificates?.stop();
    throw error;
  }
}

/** The state of all certificates, with that of the operator. */
function statusOf(status: CertificateStatus, own: OwnCertificate | null): CertificateStatus {
  if (own === null) return status;
  const expiries = [status.nextExpiry, own.expiresAt()].filter((time) => time !== null);
  return { ...status, nextExpiry: expiries.sort()[0] ?? null, fault: status.fault ?? own.fault() };
}
