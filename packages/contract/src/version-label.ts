import { z } from 'zod';

/** Label of an export: 1 to 64 characters of `[A-Za-z0-9._-]`. */
export const versionLabel = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,64}$/, 'must be 1 to 64 characters of A-Z, a-z, 0-9, dot, underscore and hyphen')
  .meta({
    description:
      "Label of the export. Default: the first 12 characters of the commit, or of the content's digest where there is no commit.",
    examples: ['2026-06-01'],
  });
