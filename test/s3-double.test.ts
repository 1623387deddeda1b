/** The S3 double is a store only as far as it refuses what a store refuses: here it is held to account itself. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { sign } from 'aws4';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type S3Double, startS3Double } from './support/s3/double.ts';
import { type Operation, operations, type Shape } from './support/s3/model.ts';

let double: S3Double;

beforeAll(async () => {
  double = await startS3Double();
});
afterEach(() => {
  double.clockOffsetMs = 0;
});
afterAll(() => double.close());

interface Request {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');
const stamp = (time: number) => new Date(time).toISOString().replace(/[-:]|\.\d{3}/g, '');

/** A signed request; `change` is made after the signature. */
function signed(given: Partial<Request>, change: Partial<Request> = {}, region = double.region): Request {
  const made = { method: 'PUT', path: `/${double.bucket}/a/b`, headers: {}, body: 'content', ...given };
  const { headers, path } = sign(
    {
      ...made,
      host: new URL(double.url).host,
      headers: {
        'x-amz-date': stamp(Date.now()),
        'x-amz-content-sha256': sha256(made.body),
        ...made.headers,
      },
      service: 's3',
      region,
    },
    double.identity,
  );
  return { ...made, path, headers: { ...headers, ...change.headers }, ...without(change) };
}

const without = ({ headers: _, ...rest }: Partial<Request>) => rest;

/** As it is, byte for byte: `fetch` would not send all of it. */
async function send({ method, path, headers, body }: Request): Promise<{ status: number; code: string }> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const url = new URL(double.url);
    const request = httpRequest({ host: url.hostname, port: url.port, method, path, headers }, resolve);
    request.once('error', reject).end(body);
  });
  const said = await text(answer);
  return { status: answer.statusCode ?? 0, code: /<Code>(\w+)<\/Code>/.exec(said)?.[1] ?? '' };
}

describe('requests with a signature in the header', () => {
  test('are taken as they were signed', async () => {
    expect(await send(signed({}))).toEqual({ status: 200, code: '' });
    expect(await send(signed({ path: `/${double.bucket}/a%20b/%C3%A4+c?x-id=PutObject` }))).toMatchObject({
      status: 200,
    });
  });

  const tampered: [string, Partial<Request>, string][] = [
    ['method', { method: 'DELETE' }, 'SignatureDoesNotMatch'],
    ['key', { path: '/offprint-test/a/c' }, 'SignatureDoesNotMatch'],
    ['query', { path: '/offprint-test/a/b?versionId=1' }, 'SignatureDoesNotMatch'],
    ['body', { body: 'contenT' }, 'XAmzContentSHA256Mismatch'],
    ['digest', { headers: { 'x-amz-content-sha256': sha256('other') } }, 'SignatureDoesNotMatch'],
    ['date', { headers: { 'x-amz-date': stamp(Date.now() + 5_000) } }, 'SignatureDoesNotMatch'],
    ['one more header', { headers: { 'x-amz-acl': 'public-read' } }, 'AccessDenied'],
    ['no signature', { headers: { Authorization: '' } }, 'AuthorizationHeaderMalformed'],
  ];
  test.each(tampered)('are refused when the %s was changed', async (_, change, code) => {
    expect(await send(signed({}, change))).toMatchObject({
      code,
      status: code.startsWith('XAmz') || code.startsWith('Auth') ? 400 : 403,
    });
  });

  test('are refused from clocks that differ by more than 15 minutes, and for another region or key', async () => {
    for (const minutes of [-16, 16]) {
      double.clockOffsetMs = minutes * 60_000;
      expect((await send(signed({}))).code).toBe('RequestTimeTooSkewed');
      double.clockOffsetMs = (minutes - Math.sign(minutes) * 2) * 60_000;
      expect((await send(signed({}))).status).toBe(200);
    }
    double.clockOffsetMs = 0;
    expect((await send(signed({}, {}, 'us-other-1'))).code).toBe('AuthorizationHeaderMalformed');
    const [known] = double.identities.splice(0);
    expect((await send(signed({}))).code).toBe('InvalidAccessKeyId');
    double.identities.push(known!);
    expect(await send({ method: 'GET', path: `/${double.bucket}/a/b`, headers: {}, body: '' })).toEqual({
      status: 403,
      code: 'AccessDenied',
    });
  });
});

describe('requests that the protocol does not know', () => {
  test('are noted, header, parameter or call', async () => {
    await send(signed({ headers: { 'x-amz-no-such-header': 'x' } }));
    await send(signed({ method: 'GET', body: '', path: `/${double.bucket}?list-type=2&max-keys=many` }));
    await send(signed({ method: 'POST', body: '', path: `/${double.bucket}/a/b?restore=` }));
    expect(double.violations.splice(0)).toEqual([
      'PutObject a/b: header x-amz-no-such-header',
      'ListObjectsV2 : parameter max-keys is no integer: many',
      expect.stringContaining('no POST of a object'),
    ]);
  });
});

const DESCRIPTIONS = [
  process.env.OFFPRINT_TEST_S3_DESCRIPTION ?? '',
  '/usr/lib/python3/dist-packages/botocore/data/s3/2006-03-01/service-2.json',
  '/usr/lib/python3/dist-packages/botocore/data/s3/2006-03-01/service-2.json.gz',
];
const found = DESCRIPTIONS.find((path) => path !== '' && existsSync(path));
if (found === undefined) {
  process.stderr.write(
    'the table of the protocol is not compared: no description of the service is installed\n',
  );
}

interface Member {
  shape: string;
  location?: string;
  locationName?: string;
}
interface Described {
  type: string;
  required?: string[];
  members?: Record<string, Member>;
  member?: { shape: string };
}

describe.runIf(found !== undefined)('the table of the protocol', () => {
  const service = found === undefined ? null : read(found);

  test.each(Object.keys(operations))('says of %s what the description of the service says', (name) => {
    const { http, input, output } = service!.operations[name]!;
    const operation: Operation = operations[name as keyof typeof operations];
    const [path = '', marks = ''] = http.requestUri.split('?');
    expect([operation.method, operation.on, operation.status]).toEqual([
      http.method,
      path.includes('{Key+}') ? 'object' : 'bucket',
      http.responseCode ?? 200,
    ]);
    expect(Object.fromEntries(new URLSearchParams(marks))).toEqual(operation.marked);

    const asked = membersOf(input?.shape);
    const parameters = asked.filter(({ location }) => location === 'querystring');
    const required = parameters.filter(({ isRequired }) => isRequired);
    expect(Object.keys(operation.needs).sort()).toEqual(required.map((member) => member.wire).sort());
    for (const [parameter, kind] of Object.entries({ ...operation.needs, ...operation.may })) {
      expect([parameter, kind]).toEqual([parameter, parameters.find(({ wire }) => wire === parameter)?.kind]);
    }
    const headers = asked
      .filter(({ location }) => location === 'header')
      .map(({ wire }) => wire.toLowerCase());
    for (const header of operation.headers) expect(headers).toContain(header);

    const answered = membersOf(output?.shape);
    const said = answered
      .filter(({ location }) => location === 'header')
      .map(({ wire }) => wire.toLowerCase());
    for (const header of operation.answerHeaders) {
      expect(said).toContain(header);
    }
    const shape = operation.answer?.shape ?? { one: {} };
    compare(shape, output?.shape);
  });

  function compare(shape: Shape, described: string | undefined): void {
    const elements = membersOf(described).filter(({ location }) => location === undefined);
    const find = (element: string) => elements.find(({ wire }) => wire === element);
    for (const [element, kind] of Object.entries(shape.one)) {
      expect([element, kind]).toEqual([element, find(element)?.kind]);
    }
    for (const [element, inner] of Object.entries({ ...shape.many, ...shape.nested })) {
      expect(find(element)?.kind).toBe(shape.many?.[element] === undefined ? 'structure' : 'list');
      compare(inner, find(element)?.item);
    }
  }

  function membersOf(name: string | undefined) {
    const { members = {}, required = [] } = service?.shapes[name ?? ''] ?? { type: 'structure' };
    return Object.entries(members).map(([member, { shape, location, locationName }]) => {
      const described = service!.shapes[shape]!;
      return {
        wire: locationName ?? member,
        location,
        isRequired: required.includes(member),
        kind: KINDS[described.type] ?? described.type,
        item: described.type === 'list' ? described.member?.shape : shape,
      };
    });
  }
});

const KINDS: Record<string, string> = { string: 'text', timestamp: 'time', long: 'integer' };

function read(path: string) {
  const bytes = readFileSync(path);
  return JSON.parse((path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()) as {
    operations: Record<
      string,
      {
        http: { method: string; requestUri: string; responseCode?: number };
        input?: { shape: string };
        output?: { shape: string };
      }
    >;
    shapes: Record<string, Described>;
  };
}
