import { z } from 'zod';
import { plainPath } from './target.ts';
import { defineTool, refuse } from './tool.ts';

/** Characters of an API description that is read. */
const MAX_LENGTH = 5 * 1024 * 1024;
const DESCRIPTION = /\.(?:json|ya?ml)$/i;

export const getOpenapiOperation = defineTool({
  name: 'get_openapi_operation',
  description:
    'Shows what an OpenAPI file in the docs says about one operation: parameters, request body and responses with their fields, references resolved. For an unknown operation, lists the existing ones.',
  parameters: z.object({
    spec: z.string().max(500).describe('path of the .json or .yaml file'),
    method: z.string().max(20).describe('get, post, ... or webhook'),
    path: z.string().max(500).describe('such as /users/{id}; of a webhook its name'),
  }),
  async run({ spec, method, path }, { workspace, policy, check, signal }) {
    const target = plainPath(spec.trim(), { workspace, policy });
    if (target.path === undefined) return refuse(target.fault);
    const file = target.path;
    if (!DESCRIPTION.test(file)) return refuse(`${spec} is not a .json or .yaml file.`);
    const text = workspace.read(file);
    if (text === null) {
      const near = workspace
        .list()
        .filter((one) => one.isText && DESCRIPTION.test(one.path) && /api|spec|swagger/i.test(one.path))
        .slice(0, 20)
        .map((one) => one.path);
      const hint = near.length === 0 ? '' : ` Did you mean: ${near.join(', ')}?`;
      return refuse(`Text file ${file} not found.${hint}`);
    }
    if (text.length > MAX_LENGTH)
      return refuse(`${file} is larger than 5 MB. Read the relevant part with search and read_file.`);
    const answer = await check.describeOperation({ file, text, method, path }, signal);
    return 'fault' in answer ? refuse(answer.fault) : { text: answer.text };
  },
});
