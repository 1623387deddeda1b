import { z } from 'zod';

/** Where a server of a model or a forge is: http or https, nothing but host, port and path. */
export const endpoint = z
  .string()
  .max(2_048)
  .refine(isEndpoint, 'must be an http or https URL without credentials, query and fragment')
  .meta({ examples: ['https://models.example.com/v1'] });

function isEndpoint(text: string): boolean {
  if (!URL.canParse(text) || !/^https?:\/\/[^/\\\s]/i.test(text)) return false;
  const url = new URL(text);
  return url.username === '' && url.password === '' && !/[?#]/.test(text);
}

/** A secret as it goes into a header: no blank, no line break. */
export const headerSecret = z
  .string()
  .min(1)
  .max(4_096)
  .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces')
  .nullable()
  .optional();

export const kept = (of: string) =>
  `Left out: kept while ${of} stays the same, else removed. Null: removed. Never returned.`;

export const modelName = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}]+$/u, 'must not contain control characters')
  .describe('Name of the model at its provider.');

/** How the server of a model is named and addressed. */
export const modelServer = {
  model: modelName,
  baseUrl: endpoint
    .nullable()
    .optional()
    .describe(
      'Address of the server, needed for `openai-compatible`. https, or http to a host that the operator allows. Null: the address of the provider.',
    ),
  apiKey: headerSecret.describe(kept('the provider and its address')).meta({ writeOnly: true }),
};
