import { hash } from 'node:crypto';
import { isFile, type Pin, pinRules, type Secret } from '../config.ts';
import { DeploymentError } from '../error.ts';
import type { SourceMark } from '../releases/pointer.ts';
import { readAtomically } from './read-atomically.ts';
import { placeOf } from './request.ts';
import type { AskReason, Offer, Source } from './source.ts';

/**
 * A link to a bundle. The files of the link and its pins, if any, are read again at each check and always
 * used together.
 */
export function createLinkSource(link: Secret, sha256Pin: Pin, versionPin: Pin = null): Source {
  const read = () => readWanted(link, sha256Pin, versionPin);
  return {
    kind: 'link',
    version: () => (isFile(versionPin) ? read().version : versionPin),
    async ask(known: SourceMark | null, reason: AskReason): Promise<Offer | null> {
      const { text, sha256, version } = read();
      const url = parseLink(text);
      // another pin makes it another offer, for which a "not changed" response does not count
      const pins = [isFile(sha256Pin) ? sha256 : null, isFile(versionPin) ? version : null];
      const digest = (part: string) => digestOf([part, ...pins].filter((one) => one !== null).join(' '));
      // a link may be a secret while it is valid: only its digest is stored
      const id = digest(url.href);
      const place = digest(`${url.origin}${url.pathname}`);
      const [knownId, knownPlace, etag = null] = known?.tag?.split(' ', 3) ?? [];
      const isCurrent = version === null || knownPlace === place;
      if (known !== null && sha256 !== null && known.sha256 === sha256 && isCurrent) return null;
      // the target of a link does not change, unless the server can say whether it did
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
          indexUrl: null,
          tagOf: (tag) => `${id} ${place}${tag === null ? '' : ` ${encodeURIComponent(tag)}`}`,
        },
      };
    },
  };
}

/** Parses a link. Throws a DeploymentError that does not repeat it. */
export function parseLink(text: string): URL {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw new DeploymentError('invalid_request', 'The link to the bundle is not an http or https URL.');
  }
  return new URL(text);
}

/** The link with its pins, read together. */
function readWanted(
  link: Secret,
  sha256: Pin,
  version: Pin,
): { text: string; sha256: string | null; version: string | null } {
  const files = ['file' in link ? link : null, sha256, version].filter(isFile).map(({ file }) => file);
  let texts: string[];
  try {
    texts = readAtomically(files);
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    const [file, why] = path === undefined ? [files[0], 'it keeps changing'] : [path, code];
    throw new DeploymentError('source_failed', `Cannot read the link from the file ${file} (${why}).`);
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
    `The file ${file} of ${name}_FILE must contain ${what}, or be empty.`,
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
