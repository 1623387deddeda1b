import { hash } from 'node:crypto';
import { isFile, type Pin, pinRules, type Secret } from '../config.ts';
import { DeploymentError } from '../error.ts';
import type { SourceMark } from '../releases/pointer.ts';
import { readTogether } from './read-together.ts';
import { placeOf } from './request.ts';
import type { AskReason, Offer, Source } from './source.ts';

/**
 * A link to a bundle. Its file and those of its pins, where it has some, are read again at each look: what they say
 * together is followed.
 */
export function createLinkSource(link: Secret, sha256Pin: Pin, versionPin: Pin = null): Source {
  const read = () => readWanted(link, sha256Pin, versionPin);
  return {
    kind: 'link',
    version: () => (isFile(versionPin) ? read().version : versionPin),
    async ask(known: SourceMark | null, reason: AskReason): Promise<Offer | null> {
      const { text, sha256, version } = read();
      const url = parseLink(text);
      // another pin makes it another offer, and an answer that nothing changed is none to it
      const pins = [isFile(sha256Pin) ? sha256 : null, isFile(versionPin) ? version : null];
      const digest = (part: string) => digestOf([part, ...pins].filter((one) => one !== null).join(' '));
      // a link may be a secret for as long as it works: only its digest is kept
      const id = digest(url.href);
      const place = digest(`${url.origin}${url.pathname}`);
      const [knownId, knownPlace, etag = null] = known?.tag?.split(' ', 3) ?? [];
      const isHeld = version === null || knownPlace === place;
      if (known !== null && sha256 !== null && known.sha256 === sha256 && isHeld) return null;
      // what is linked does not change, unless the server can say whether it did
      if (knownId === id && (reason === 'interval' || (reason === 'start' && etag === null))) return null;
      return {
        id,
        place: placeOf(url),
        sha256,
        version,
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

/** The link with its pins, as they belong together. */
function readWanted(
  link: Secret,
  sha256: Pin,
  version: Pin,
): { text: string; sha256: string | null; version: string | null } {
  const files = ['file' in link ? link : null, sha256, version].filter(isFile).map(({ file }) => file);
  let texts: string[];
  try {
    texts = readTogether(files);
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    const [file, why] = path === undefined ? [files[0], 'it changes all the time'] : [path, code];
    throw new DeploymentError('source_failed', `The file ${file} of the link cannot be read (${why}).`);
  }
  const take = () => texts.shift() ?? '';
  return {
    text: 'file' in link ? take() : link.value,
    sha256: isFile(sha256) ? readPin('OFFPRINT_SITE_BUNDLE_SHA256', sha256.file, take()) : sha256,
    version: isFile(version) ? readPin('OFFPRINT_SITE_VERSION', version.file, take()) : version,
  };
}

function readPin(name: keyof typeof pinRules, file: string, text: string): string | null {
  if (text === '') return null;
  const { pattern, what } = pinRules[name];
  if (pattern.test(text)) return text;
  throw new DeploymentError(
    'source_failed',
    `The file ${file} of ${name}_FILE must hold ${what}, or nothing.`,
  );
}

const digestOf = (text: string): string => hash('sha256', text);

function decodeTag(text: string | null): string | null {
  try {
    return text === null ? null : decodeURIComponent(text);
  } catch {
    return null;
  }
}
