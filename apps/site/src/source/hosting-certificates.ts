import { type Secret, secretText } from '../config.ts';
import { DeploymentError } from '../error.ts';
import type { CertificateSource } from '../tls/follow.ts';
import { type Answer, get, placeOf, retryAfterOf, type Transport } from './request.ts';

/** Below the time after which a response without data has stalled. */
const waitSeconds = 20;
/** A certificate with its chain has about 6 kB. */
const maxListBytes = 64 * 1024 * 1024;
const maxChallengeBytes = 1_000;
/** At the same time: anyone can ask for a challenge, so that requests of readers could occupy the platform. */
const maxChallenges = 64;

/** The certificates and challenges of the platform at `url`, which has a trailing slash. */
export function createCertificateSource(options: {
  url: URL;
  token: Secret;
  transport: Transport;
}): CertificateSource {
  const ask = async (target: URL, signal: AbortSignal): Promise<Answer> => {
    const authorization = `Bearer ${secretText(options.token)}`;
    return get(target, { authorization, accept: '*/*' }, options.transport, signal);
  };
  let challenges = 0;
  return {
    async certificates(after, signal) {
      const target = new URL('v1/hosting/certificates', options.url);
      if (after !== null) {
        target.searchParams.set('after', after);
        target.searchParams.set('waitSeconds', String(waitSeconds));
      }
      const answer = await ask(target, signal);
      const { statusCode = 0 } = answer.response;
      if (statusCode !== 200) {
        answer.end();
        if (statusCode === 304) return null;
        throw refusal(target, answer);
      }
      const body: unknown = JSON.parse(await readText(answer, maxListBytes, target));
      if (typeof body === 'object' && body !== null && 'cursor' in body && 'certificates' in body) {
        const { cursor, certificates } = body;
        if (typeof cursor === 'string' && Array.isArray(certificates)) return { cursor, certificates };
      }
      throw new DeploymentError(
        'source_failed',
        `${placeOf(target)} did not respond like an Offprint server. Check OFFPRINT_URL.`,
      );
    },
    async challenge(host, token, signal) {
      const path = `v1/hosting/challenges/${encodeURIComponent(host)}/${encodeURIComponent(token)}`;
      const target = new URL(path, options.url);
      if (challenges >= maxChallenges)
        throw new DeploymentError('source_unreachable', 'Too many challenges are in progress.');
      challenges += 1;
      try {
        const answer = await ask(target, signal);
        if (answer.response.statusCode === 200) return await readText(answer, maxChallengeBytes, target);
        answer.end();
        if (answer.response.statusCode === 404) return null;
        throw refusal(target, answer);
      } finally {
        challenges -= 1;
      }
    },
  };
}

async function readText(answer: Answer, maxBytes: number, url: URL): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer.response) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxBytes) {
      answer.end();
      throw new DeploymentError('source_failed', `${placeOf(url)} sent more than ${maxBytes} bytes.`);
    }
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString();
}

function refusal(url: URL, { response }: Answer): DeploymentError {
  const { statusCode: status = 0 } = response;
  if (status === 401 || status === 403)
    return new DeploymentError(
      'key_refused',
      `${url.host} rejected the hosting token. Set the same OFFPRINT_HOSTING_TOKEN here and on the platform.`,
    );
  return new DeploymentError('source_unreachable', `${placeOf(url)} returned status ${status}.`, {
    retryAfterMs: retryAfterOf(response),
  });
}
