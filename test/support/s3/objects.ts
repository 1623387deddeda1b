/** What the double has stored, and what each call does to it. */
import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type Operation, type OperationName, operations, Refusal } from './model.ts';
import { type Content, readParts, writeAnswer } from './wire.ts';

export interface StoredObject {
  bytes: Buffer;
  etag: string;
  modified: Date;
  /** `x-amz-meta-*` and content headers, as they came. */
  headers: Record<string, string>;
}

export interface StoredUpload {
  key: string;
  initiated: Date;
  headers: Record<string, string>;
  parts: Map<number, { bytes: Buffer; etag: string }>;
}

export interface Call {
  key: string;
  query: URLSearchParams;
  headers: Record<string, string | undefined>;
  body: Buffer;
  now: Date;
}

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

export interface Store {
  bucket: string;
  objects: Map<string, StoredObject>;
  uploads: Map<string, StoredUpload>;
  /** Most keys of one page. */
  pageSize: number;
}

const MIN_PART = 5 * 1_048_576;
const md5 = (bytes: Uint8Array): Buffer => createHash('md5').update(bytes).digest();
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Does a call that was found to be in order. */
export function perform(store: Store, name: OperationName, call: Call): Answer {
  return performers[name](store, call, operations[name]);
}

const performers: Record<OperationName, (store: Store, call: Call, operation: Operation) => Answer> = {
  PutObject(store, call) {
    checkDigests(call);
    const etag = `"${md5(call.body).toString('hex')}"`;
    const object = { bytes: call.body, etag, modified: seconds(call.now), headers: keptHeaders(call) };
    store.objects.set(call.key, object);
    return answer(200, { etag });
  },

  CopyObject(store, call, operation) {
    const [bucket, ...rest] = decodeURIComponent(call.headers['x-amz-copy-source'] ?? '')
      .replace(/^\//, '')
      .split('/');
    if (bucket !== store.bucket) throw new Refusal('NoSuchBucket');
    const source = store.objects.get(rest.join('/'));
    if (source === undefined) throw new Refusal('NoSuchKey');
    const modified = seconds(call.now);
    store.objects.set(call.key, { ...source, modified });
    return xml(operation, { ETag: source.etag, LastModified: modified });
  },

  GetObject: (store, call) => read(store, call),
  HeadObject(store, call) {
    const { status, headers, body } = read(store, call);
    return answer(status, { ...headers, 'content-length': String(body.length) });
  },

  DeleteObject(store, call) {
    store.objects.delete(call.key);
    return answer(204);
  },

  ListObjectsV2(store, call, operation) {
    const prefix = call.query.get('prefix') ?? '';
    const most = Math.min(Number(call.query.get('max-keys') ?? 1000), store.pageSize);
    const token = call.query.get('continuation-token');
    const after = token === null ? (call.query.get('start-after') ?? '') : decodeToken(token);
    const keys = [...store.objects.keys()]
      .filter((key) => key.startsWith(prefix) && byBytes(key, after) > 0)
      .sort(byBytes);
    const page = keys.slice(0, most);
    const isTruncated = keys.length > page.length;
    return xml(operation, {
      Name: store.bucket,
      Prefix: prefix,
      MaxKeys: most,
      KeyCount: page.length,
      IsTruncated: isTruncated,
      ContinuationToken: token ?? undefined,
      NextContinuationToken: isTruncated ? encodeToken(page.at(-1) ?? after) : undefined,
      Contents: page.map((key) => {
        const { bytes, etag, modified } = store.objects.get(key)!;
        return { Key: key, LastModified: modified, ETag: etag, Size: bytes.length, StorageClass: 'STANDARD' };
      }),
    });
  },

  CreateMultipartUpload(store, call, operation) {
    const id = randomBytes(16).toString('hex');
    store.uploads.set(id, {
      key: call.key,
      initiated: call.now,
      headers: keptHeaders(call),
      parts: new Map(),
    });
    return xml(operation, { Bucket: store.bucket, Key: call.key, UploadId: id });
  },

  UploadPart(store, call) {
    const upload = requireUpload(store, call);
    const number = Number(call.query.get('partNumber'));
    if (number < 1 || number > 10_000) throw new Refusal('InvalidArgument', 'partNumber');
    checkDigests(call);
    const etag = md5(call.body).toString('hex');
    upload.parts.set(number, { bytes: call.body, etag });
    return answer(200, { etag: `"${etag}"` });
  },

  CompleteMultipartUpload(store, call, operation) {
    const upload = requireUpload(store, call);
    const named = readParts(call.body.toString());
    const parts = named.map(({ number, etag }, at) => {
      if (at > 0 && named[at - 1]!.number >= number) throw new Refusal('InvalidPartOrder');
      const part = upload.parts.get(number);
      if (part === undefined || part.etag !== etag) throw new Refusal('InvalidPart');
      return part;
    });
    if (parts.slice(0, -1).some(({ bytes }) => bytes.length < MIN_PART)) throw new Refusal('EntityTooSmall');
    const digest = md5(Buffer.concat(parts.map(({ etag }) => Buffer.from(etag, 'hex')))).toString('hex');
    const etag = `"${digest}-${parts.length}"`;
    store.objects.set(call.key, {
      bytes: Buffer.concat(parts.map(({ bytes }) => bytes)),
      etag,
      modified: seconds(call.now),
      headers: upload.headers,
    });
    store.uploads.delete(call.query.get('uploadId') ?? '');
    return xml(operation, { Bucket: store.bucket, Key: call.key, ETag: etag });
  },

  AbortMultipartUpload(store, call) {
    requireUpload(store, call);
    store.uploads.delete(call.query.get('uploadId') ?? '');
    return answer(204);
  },

  ListMultipartUploads(store, call, operation) {
    const prefix = call.query.get('prefix') ?? '';
    const most = Math.min(Number(call.query.get('max-uploads') ?? 1000), store.pageSize);
    const after = `${call.query.get('key-marker') ?? ''}\n${call.query.get('upload-id-marker') ?? ''}`;
    const uploads = [...store.uploads]
      .map(([id, upload]) => ({ id, ...upload, place: `${upload.key}\n${id}` }))
      .filter(({ key, place }) => key.startsWith(prefix) && byBytes(place, after) > 0)
      .sort((a, b) => byBytes(a.place, b.place));
    const page = uploads.slice(0, most);
    const isTruncated = uploads.length > page.length;
    const last = page.at(-1);
    return xml(operation, {
      Bucket: store.bucket,
      Prefix: prefix,
      MaxUploads: most,
      IsTruncated: isTruncated,
      NextKeyMarker: isTruncated ? last?.key : undefined,
      NextUploadIdMarker: isTruncated ? last?.id : undefined,
      Upload: page.map(({ id, key, initiated }) => ({ Key: key, UploadId: id, Initiated: initiated })),
    });
  },
};

function read(store: Store, call: Call): Answer {
  const object = store.objects.get(call.key);
  if (object === undefined) throw new Refusal('NoSuchKey');
  const { bytes, etag, modified } = object;
  if (call.headers['if-match'] !== undefined && call.headers['if-match'] !== etag) {
    throw new Refusal('PreconditionFailed');
  }
  const headers: Record<string, string> = {
    ...object.headers,
    etag,
    'accept-ranges': 'bytes',
    'last-modified': modified.toUTCString(),
  };
  for (const name of ['content-disposition', 'content-type', 'cache-control']) {
    const asked = call.query.get(`response-${name}`);
    if (asked !== null) headers[name] = asked;
  }
  const range = /^bytes=(\d*)-(\d*)$/.exec(call.headers.range ?? '');
  if (range === null || (range[1] === '' && range[2] === '')) return answer(200, headers, bytes);
  const start = range[1] === '' ? Math.max(0, bytes.length - Number(range[2])) : Number(range[1]);
  const end =
    range[1] === '' || range[2] === '' ? bytes.length - 1 : Math.min(Number(range[2]), bytes.length - 1);
  if (start > end) throw new Refusal('InvalidRange');
  headers['content-range'] = `bytes ${start}-${end}/${bytes.length}`;
  return answer(206, headers, bytes.subarray(start, end + 1));
}

function requireUpload(store: Store, call: Call): StoredUpload {
  const upload = store.uploads.get(call.query.get('uploadId') ?? '');
  if (upload === undefined || upload.key !== call.key) throw new Refusal('NoSuchUpload');
  return upload;
}

/** Digests that a request brings are those of what came. */
function checkDigests({ headers, body }: Call): void {
  const given = headers['content-md5'];
  if (given !== undefined && given !== md5(body).toString('base64')) throw new Refusal('BadDigest');
  const crc = headers['x-amz-checksum-crc32'];
  if (crc === undefined) return;
  const found = Buffer.alloc(4);
  found.writeUInt32BE(crc32(body));
  if (crc !== found.toString('base64')) throw new Refusal('BadDigest');
}

function keptHeaders({ headers }: Call): Record<string, string> {
  const kept = Object.entries(headers).filter(
    ([name]) => name.startsWith('x-amz-meta-') || name === 'content-type' || name === 'content-disposition',
  );
  return Object.fromEntries(kept) as Record<string, string>;
}

function answer(
  status: number,
  headers: Record<string, string> = {},
  body: Buffer = Buffer.alloc(0),
): Answer {
  return { status, headers, body };
}

function xml(operation: Operation, content: Content): Answer {
  return answer(200, { 'content-type': 'application/xml' }, Buffer.from(writeAnswer(operation, content)));
}

const seconds = (time: Date): Date => new Date(Math.floor(time.getTime() / 1000) * 1000);
const encodeToken = (key: string): string => Buffer.from(`t${key}`).toString('base64');

function decodeToken(token: string): string {
  const text = Buffer.from(token, 'base64').toString();
  if (text[0] !== 't') throw new Refusal('InvalidArgument', 'continuation-token');
  return text.slice(1);
}
