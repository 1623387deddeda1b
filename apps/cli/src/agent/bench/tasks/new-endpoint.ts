import { buildFixture, type Files } from '../fixture/fixture.ts';
import { NEW_OPERATION, OPERATIONS, openApi } from '../fixture/reference.ts';
import { curlOf } from '../shell.ts';
import { demand, type Task } from '../task.ts';
import { changedPaths, isSameJson, parseJson, splitPage, textOf, withPageAfter } from '../text.ts';

const PAGE = 'api/replay-events';

function start(): Files {
  return buildFixture().set('openapi.json', openApi([...OPERATIONS, NEW_OPERATION]));
}

export const newEndpoint: Task = {
  id: 3,
  name: 'Document a new endpoint',
  prompts: [
    `openapi.json describes POST /v1/relays/{relayId}/replay, and no page does. Write ${PAGE}.mdx in the way of the other pages of the API reference: method and path, every parameter as a ParamField (required ones marked), a curl example in a bash block that could be run, and a table with every answer. Put it into the navigation right after api/resume-relay.`,
  ],
  start,
  check({ start: before, end, newFindings }) {
    const { front, body } = splitPage(textOf(end, `${PAGE}.mdx`));
    const { method, path, parameters, answers } = NEW_OPERATION;
    const config = withPageAfter(textOf(before, 'docs.json'), 'api/resume-relay', PAGE);
    return [
      demand('front-matter', front.title && front.description ? null : 'the title or description is missing'),
      demand('method-and-path', body.includes(`${method} ${path}`) ? null : `${method} ${path} is missing`),
      demand(
        'parameters',
        parameters
          .filter((row) => !hasField(body, row))
          .map(({ name }) => `${name} is missing or has the wrong required flag`),
      ),
      demand(
        'answers',
        answers
          .filter(([status]) => !new RegExp(`\\b${status}\\b`).test(body))
          .map(([status]) => `${status}`),
      ),
      demand('curl', curlFault(body)),
      demand(
        'navigation',
        isSameJson(textOf(end, 'docs.json'), config) ? null : 'docs.json must differ only in the new entry',
      ),
      demand(
        'nothing-else',
        changedPaths(before, end).filter((one) => one !== 'docs.json' && one !== `${PAGE}.mdx`),
      ),
      demand(
        'no-new-findings',
        newFindings.map(({ file, message }) => `${file}: ${message}`),
      ),
    ];
  },
  allows: (path, line) =>
    path === `${PAGE}.mdx` ||
    (path === 'docs.json' && /^\s*"api\/(replay-events|resume-relay)",?$/.test(line)),
};

function hasField(body: string, row: { name: string; in: string; required: boolean }): boolean {
  const tag = new RegExp(`<ParamField\\b(?=[^>]*\\b${row.in}="${row.name}")([^>]*)>`).exec(body);
  return tag !== null && /\brequired\b/.test(tag[1] ?? '') === row.required;
}

function curlFault(body: string): string | null {
  const call = curlOf(body);
  if (call === null) return 'no valid curl command in a bash block';
  if (call.method !== 'POST') return `the method is ${call.method}`;
  if (!/^https:\/\/api\.ferrywell\.example\/v1\/relays\/[^/{}]+\/replay$/.test(call.url))
    return `calls ${call.url}`;
  if (!call.headers.some((header) => /^authorization: bearer \S/i.test(header))) return 'the key is missing';
  const data = parseJson(call.data ?? '') as Record<string, unknown> | null;
  return typeof data?.from === 'string' && typeof data.to === 'string'
    ? null
    : 'required fields of the body are missing';
}
