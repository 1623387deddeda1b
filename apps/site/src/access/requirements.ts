import type { Found, SiteFile } from '@offprint/bundle';
import { EVERY_READER, type Requirement } from './may-read.ts';

const MAX_REDIRECTS = 5;

/**
 * Finds the rule of a request target as the release responds to it. A redirect has the rule of the page that it leads
 * to: otherwise it would show that a restricted page exists. `rules`: by path of the file; all others are for every
 * reader.
 */
export function createRequirementOf(
  find: (target: string) => Found<SiteFile>,
  rules: ReadonlyMap<string, Requirement>,
): (target: string) => Requirement {
  return (target) => {
    let at = target;
    for (let step = 0; step < MAX_REDIRECTS; step++) {
      const found = find(at);
      if (found.kind === 'file') return rules.get(found.file.path) ?? EVERY_READER;
      if (found.kind !== 'redirect' || !/^\/(?!\/)/.test(found.location)) return EVERY_READER;
      at = found.location;
    }
    return EVERY_READER;
  };
}
