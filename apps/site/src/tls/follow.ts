import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { Log } from '../log.ts';
import type { SealedFile } from './sealed-file.ts';

/** What the platform serves. Both throw when it cannot be reached. */
export interface CertificateSource {
  /** The complete list; null if it has not changed since `after`. Items are not validated. */
  certificates(
    after: string | null,
    signal: AbortSignal,
  ): Promise<{ cursor: string; certificates: readonly unknown[] } | null>;
  /** The response to a challenge; null if it does not exist. */
  challenge(host: string, token: string, signal: AbortSignal): Promise<string | null>;
}

/** Certificates by host. Another list replaces them without a restart. */
export interface Certificates {
  has(host: string): boolean;
  contextOf(host: string): SecureContext | undefined;
  status(): CertificateStatus;
  stop(): Promise<void>;
}

export interface CertificateStatus {
  hosts: number;
  /** Earliest expiry of a certificate; null without one. */
  nextExpiry: string | null;
  /** Why the platform cannot be followed; null if it can. */
  fault: string | null;
}

interface Certificate {
  domains: string[];
  chain: string;
  key: string;
  fingerprint: string;
  expiresAt: string;
}

interface Loaded extends Certificate {
  context: SecureContext;
}

const [minRetryMs, maxRetryMs] = [1_000, 60_000];
const hostPattern = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;

/** Uses the certificates of the file at once, then follows the platform. Never throws: errors are in the status. */
export async function followCertificates(options: {
  source: CertificateSource;
  file: SealedFile;
  log: Log;
}): Promise<Certificates> {
  const { source, file, log } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let byHost: ReadonlyMap<string, Loaded> = new Map();
  let fault: string | null = null;

  const load = (items: readonly unknown[]): Certificate[] => {
    const known = new Map([...byHost.values()].map((one) => [one.fingerprint, one]));
    const next = new Map<string, Loaded>();
    const valid: Certificate[] = [];
    for (const item of items) {
      const certificate = parseCertificate(item);
      const context =
        certificate === null ? null : (known.get(certificate.fingerprint)?.context ?? open(certificate));
      if (certificate === null || context === null) {
        log.warn('a certificate of the platform is not valid', { host: certificate?.domains.join(', ') });
        continue;
      }
      valid.push(certificate);
      for (const host of certificate.domains) next.set(host, { ...certificate, context });
    }
    byHost = next;
    return valid;
  };

  const poll = async (): Promise<void> => {
    let cursor: string | null = null;
    let failures = 0;
    while (!signal.aborted) {
      try {
        const list = await source.certificates(cursor, signal);
        if (fault !== null) log.info('the error is resolved', { error: fault });
        fault = null;
        failures = 0;
        if (list === null) continue;
        cursor = list.cursor;
        const valid = load(list.certificates);
        log.info('certificates are in use', { hosts: byHost.size });
        await file.write(JSON.stringify(valid)).catch((error: unknown) => {
          log.warn('cannot keep the certificates on the volume', { reason: messageOf(error) });
        });
      } catch (error) {
        if (signal.aborted) return;
        if (fault !== messageOf(error)) log.warn(messageOf(error));
        fault = messageOf(error);
        failures += 1;
        const pause = Math.min(maxRetryMs, minRetryMs * 2 ** (failures - 1));
        await sleep(pause, undefined, { signal }).catch(() => undefined);
      }
    }
  };

  const kept = await file.read();
  if (kept !== null) {
    const items: unknown = JSON.parse(kept);
    if (Array.isArray(items)) load(items);
  }
  const polling = poll();
  return {
    has: (host) => byHost.has(host),
    contextOf: (host) => byHost.get(host)?.context,
    status: () => ({
      hosts: byHost.size,
      nextExpiry: [...byHost.values()].map(({ expiresAt }) => expiresAt).sort()[0] ?? null,
      fault,
    }),
    async stop() {
      stopping.abort();
      await polling;
    },
  };
}

function open({ chain, key }: Certificate): SecureContext | null {
  try {
    return createSecureContext({ cert: chain, key, minVersion: 'TLSv1.2' });
  } catch {
    return null;
  }
}

function parseCertificate(item: unknown): Certificate | null {
  if (typeof item !== 'object' || item === null) return null;
  const { domains, chain, key, fingerprint, expiresAt }: Record<string, unknown> = { ...item };
  if (!Array.isArray(domains)) return null;
  const hosts = domains.filter((host) => typeof host === 'string' && hostPattern.test(host));
  const isComplete =
    hosts.length === domains.length &&
    typeof chain === 'string' &&
    typeof key === 'string' &&
    typeof fingerprint === 'string' &&
    typeof expiresAt === 'string';
  return isComplete ? { domains: hosts, chain, key, fingerprint, expiresAt } : null;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
