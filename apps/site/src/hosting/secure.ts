import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { StopOptions } from '../serving/connections.ts';
import {
  type CertificateSource,
  type CertificateStatus,
  type Certificates,
  followCertificates,
} from '../tls/follow.ts';
import { startTlsListener, type TlsListener } from '../tls/listener.ts';
import { createPlainHandler } from '../tls/plain.ts';
import { openSealedFile } from '../tls/sealed-file.ts';
import { type Hosting, type HostingOptions, startHosting } from './hosting.ts';

export interface SecureHostingOptions extends Omit<HostingOptions, 'respondPlain'> {
  /** Certificates and challenges of the platform. */
  source: CertificateSource;
  /** Port for https, on the IP address of the port for http; 0 picks a free port. Null: no certificates are used. */
  tls: { port: number; token: string } | null;
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
  let listener: TlsListener | null = null;
  if (tls !== null) {
    await mkdir(options.dir, { recursive: true });
    const file = openSealedFile(join(options.dir, certificateFile), tls.token);
    certificates = await followCertificates({ source, file, log: options.log });
  }
  const has = (host: string): boolean => certificates?.has(host) === true;
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
      await Promise.all([hosting.stop(stopOptions), certificates?.stop()]);
    };
    if (tls !== null && certificates !== null)
      listener = await startTlsListener({
        host: options.host,
        port: tls.port,
        certificates,
        source,
        deliver: hosting.accept,
      }).catch(async (error: unknown) => {
        await hosting.stop();
        throw error;
      });
    return {
      ...hosting,
      tlsPort: listener?.port ?? null,
      certificates: certificates?.status ?? null,
      stop,
    };
  } catch (error) {
    await certificates?.stop();
    throw error;
  }
}
