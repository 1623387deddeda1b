import { hash } from 'node:crypto';
import { type Secret, secretText } from '../config.ts';
import { DeploymentError } from '../error.ts';
import type { SourceMark } from '../releases/pointer.ts';
import { placeOf } from './request.ts';
import type { AskReason, Offer, Source } from './source.ts';

/** A link to a bundle. Its file, where it has one, is read again at each look: a new link is followed. */
export function createLinkSource(link: Secret, sha256: string | null): Source {
  return {
    kind: 'link',
    async ask(known: SourceMark | null, reason: AskReason): Promise<Offer | null> {
      const url = parseLink(readLink(link));
      // a link may be a secret for as long as it works: only its digest is kept
      const id = digestOf(url.href);
      const place = digestOf(`${url.origin}${url.pathname}`);
      const [knownId, knownPlace, etag = null] = known?.tag?.split(' ', 3) ?? [];
      if (known !== null && sha256 !== null && known.sha256 === sha256) return null;
      // what is linked does not change, unless the server can say whether it did
      if (knownId === id && (reason === 'interval' || (reason === 'start' && etag === null))) return null;
      return {
        id,
        place: placeOf(url),
        sha256,
        bytes: null,
        tag: null,
        from: {
          url,
          etag: knownPlace === place ? decodeTag(etag) : null,
          renew: null,
          tagOf: (tag) => `${id} ${place}${tag === null ? '' : ` ${encodeURIComponent(tag)}`}`,
        },
      };
    },
  };
}

/** Reads a link. Throws a DeploymentError that does not repeat it. */
export function parseLink(text: string): URL {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw new DeploymentError('invalid_request', 'The link to the bundle is no http or https address.');
  }
  return new URL(text);
}

function readLink(link: Secret): string {
  try {
    return secretText(link);
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    throw new DeploymentError('source_failed', `The file ${path} of the link cannot be read (${code}).`);
  }
}

const digestOf = (text: string): string => hash('sha256', text);

function decodeTag(text: string | null): string | null {
  try {
    return text === null ? null : decodeURIComponent(text);
  } catch {
    return null;
  }
}
