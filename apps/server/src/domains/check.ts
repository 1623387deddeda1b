import { isIP } from 'node:net';
import type { StoredFinding } from '../platform/db/database.ts';
import type { DnsAnswer, NameResolver } from '../platform/net/resolver.ts';
import type { Proof } from './proof.ts';

export interface CheckAdapters {
  resolver: NameResolver;
  /** Guarded, for http and https. */
  fetch: typeof fetch;
  /** Ports of the web server of domains; default 80 and 443. */
  ports?: { http: number; https: number };
  /** Host name or IP address of the site servers; null: not known. */
  siteTarget: string | null;
}

/** What a check proves: the organization controls the domain, it does not, or the lookups failed. */
export type Outcome = 'dns' | 'file' | 'missing' | 'unknown';

export type Finding = Omit<StoredFinding, 'isOwnedElsewhere'>;

const MAX_VALUES = 10;
const MAX_TEXT = 200;
const FILE_TIMEOUT_MS = 10_000;
const MAX_FILE_BYTES = 1_000;

/** Looks for the record, then for the file. Never rejects, except with the reason of the signal. */
export async function checkDomain(
  adapters: CheckAdapters,
  proof: Proof,
  signal: AbortSignal,
): Promise<{ finding: Finding; outcome: Outcome }> {
  const { resolver } = adapters;
  const [texts, addresses] = await Promise.all([
    resolver.texts(proof.record.name),
    resolver.addresses(proof.host),
  ]);
  signal.throwIfAborted();
  const dns = dnsState(texts, proof.record.value);
  const messages = [
    ...failureText(texts, `The TXT record ${proof.record.name}`),
    ...failureText(addresses, `The IP address of ${proof.host}`),
  ];
  let file: Finding['file'] = 'skipped';
  if (dns !== 'found' && proof.file !== null) {
    const problem = await findFile(adapters, proof.file, proof.host, signal);
    file = problem === null ? 'found' : 'missing';
    if (problem !== null) messages.push(problem);
  }
  const finding: Finding = {
    dns,
    texts: valuesOf(texts),
    file,
    addresses: valuesOf(addresses),
    pointsHere: proof.file === null ? null : await pointsTo(adapters, addresses),
    messages,
  };
  return { finding, outcome: outcomeOf(finding) };
}

/** A lookup that failed proves nothing, also not that the record is missing. */
export function outcomeOf({ dns, file }: Finding): Outcome {
  if (dns === 'found') return 'dns';
  if (file === 'found') return 'file';
  return dns === 'failed' ? 'unknown' : 'missing';
}

function dnsState(answer: DnsAnswer, expected: string): Finding['dns'] {
  if (answer.kind === 'failed') return 'failed';
  if (answer.kind === 'none') return 'missing';
  return answer.values.some((value) => value.trim() === expected) ? 'found' : 'different';
}

async function pointsTo(
  { resolver, siteTarget }: CheckAdapters,
  addresses: DnsAnswer,
): Promise<boolean | null> {
  if (siteTarget === null || addresses.kind === 'failed') return null;
  if (addresses.kind === 'none') return false;
  const targets = isIP(siteTarget) !== 0 ? [siteTarget] : valuesOf(await resolver.addresses(siteTarget));
  return targets.length === 0 ? null : addresses.values.some((address) => targets.includes(address));
}

/** Values of strangers: short, few and without control characters. */
function valuesOf(answer: DnsAnswer): string[] {
  if (answer.kind !== 'values') return [];
  return answer.values
    .slice(0, MAX_VALUES)
    .map((value) => value.slice(0, MAX_TEXT).replace(/[^\x20-\x7e]/g, '?'));
}

function failureText(answer: DnsAnswer, what: string): string[] {
  return answer.kind === 'failed'
    ? [`${what} could not be looked up (${answer.reason}). Check the name servers of the domain.`]
    : [];
}

/** Null if the file is there; otherwise why not. */
async function findFile(
  adapters: CheckAdapters,
  { path, content }: NonNullable<Proof['file']>,
  host: string,
  signal: AbortSignal,
): Promise<string | null> {
  let problem = '';
  for (const scheme of ['https', 'http'] as const) {
    const port = adapters.ports === undefined ? '' : `:${adapters.ports[scheme]}`;
    const url = `${scheme}://${host}${port}${path}`;
    try {
      const response = await adapters.fetch(url, {
        signal: AbortSignal.any([signal, AbortSignal.timeout(FILE_TIMEOUT_MS)]),
      });
      const text = response.status === 200 ? await readStart(response) : '';
      if (response.status !== 200) await response.body?.cancel();
      if (text.trim() === content) return null;
      problem = `${url} returned ${response.status === 200 ? 'another content' : `the status ${response.status}`}.`;
    } catch (error) {
      signal.throwIfAborted();
      const isLate = error instanceof DOMException && error.name === 'TimeoutError';
      problem = isLate
        ? `${url} did not respond within ${FILE_TIMEOUT_MS / 1_000} s.`
        : error instanceof Error
          ? error.message
          : `${url} could not be read.`;
    }
  }
  return problem;
}

async function readStart(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    chunks.push(value);
    if (size > MAX_FILE_BYTES) {
      await reader.cancel();
      break;
    }
  }
  return Buffer.concat(chunks).toString('latin1');
}
