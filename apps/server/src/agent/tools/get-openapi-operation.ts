import { z } from 'zod';
import type { Workspace } from '../workspace/workspace.ts';
import { descriptionFiles } from './description-files.ts';
import { readTarget } from './target.ts';
import { defineTool, refuse } from './tool.ts';

const DESCRIPTION = /\.(?:json|ya?ml)$/i;

export const getOpenapiOperation = defineTool({
  name: 'get_openapi_operation',
  description:
    'Shows what an OpenAPI file in the docs says about one operation: parameters, request body and responses with their fields, references resolved, and its lines in the file. Without method and path, lists the operations, 200 a page.',
  parameters: z.object({
    spec: z.string().max(500).describe('path of the .json or .yaml file'),
    method: z.string().max(20).optional().describe('get, post, query, ... or webhook'),
    path: z.string().max(500).optional().describe('such as /users/{id}; of a webhook its name'),
    filter: z.string().max(200).default('').describe('Lists only operations that contain these words'),
    page: z.int().min(1).max(1000).default(1),
  }),
  async run({ spec, method = '', path = '', filter, page }, context) {
    const { workspace, check, signal } = context;
    if (!DESCRIPTION.test(spec.trim())) return refuse(`${spec} is not a .json or .yaml file.`);
    if ((method.trim() === '') !== (path.trim() === '')) {
      return refuse('Pass method and path of one operation, or neither of them to list the operations.');
    }
    const source = readTarget(spec.trim(), context);
    if (source.path === undefined || source.text === undefined) {
      const near = descriptionsOf(workspace);
      const fault = source.fault ?? '';
      return refuse(near.length === 0 ? fault : `${fault} API files: ${near.join(', ')}.`);
    }
    const operation = method.trim() === '' ? null : { method, path };
    const answer = await check.describeOperation(
      {
        file: source.path,
        text: source.text,
        ...descriptionFiles(workspace, source.path, source.text),
        operation,
        filter,
        page,
      },
      signal,
    );
    return 'fault' in answer ? refuse(answer.fault) : { text: answer.text };
  },
});

function descriptionsOf(workspace: Workspace): string[] {
  return workspace
    .list()
    .filter((one) => one.isText && DESCRIPTION.test(one.path) && /api|spec|swagger/i.test(one.path))
    .slice(0, 20)
    .map((one) => one.path);
}
