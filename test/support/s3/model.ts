/**
 * The protocol of the operations that the driver uses: facts from the public description of the service, version
 * 2006-03-01, for the double. The double checks requests and its own responses against this table; s3-model.test.ts checks
 * the table against the description if that is installed.
 */

export type Kind = 'text' | 'integer' | 'boolean' | 'time';

/** Elements of a response: single ones, and those that may be repeated. */
export interface Shape {
  one: Readonly<Record<string, Kind>>;
  /** Element name and what is in it. */
  many?: Readonly<Record<string, Shape>>;
  /** A structure that occurs once. */
  nested?: Readonly<Record<string, Shape>>;
}

export interface Operation {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  on: 'bucket' | 'object';
  /** Parameters that tell the call from others of its method; an empty value: the parameter alone. */
  marked: Readonly<Record<string, string>>;
  /** Header that distinguishes the call from others of its method. */
  markedBy?: string;
  /** Parameters that must be there, and others that may. */
  needs: Readonly<Record<string, Kind>>;
  may: Readonly<Record<string, Kind>>;
  /** Headers beyond those of every call; `x-amz-meta-*` where `metadata` is set. */
  headers: readonly string[];
  metadata?: true;
  status: number;
  answerHeaders: readonly string[];
  /** Root element and content of the response; null: none, or the object. */
  answer: { root: string; shape: Shape } | null;
}

const CHECKSUMS = [
  'x-amz-checksum-crc32',
  'x-amz-checksum-crc32c',
  'x-amz-checksum-sha1',
  'x-amz-checksum-sha256',
];
const ENCRYPTION = ['x-amz-server-side-encryption', 'x-amz-server-side-encryption-aws-kms-key-id'];
const CONDITIONS = ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'];
const CONTENT = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
];
const OBJECT_ANSWER = [
  ...['etag', 'last-modified', 'content-length', 'accept-ranges', 'x-amz-version-id', 'x-amz-storage-class'],
  ...CONTENT,
  ...CHECKSUMS,
];

const OWNER: Shape = { one: { ID: 'text', DisplayName: 'text' } };

export const operations = {
  PutObject: {
    method: 'PUT',
    on: 'object',
    marked: {},
    needs: {},
    may: {},
    headers: [
      'content-length',
      'content-md5',
      'x-amz-sdk-checksum-algorithm',
      'x-amz-tagging',
      ...CONTENT,
      ...CHECKSUMS,
      ...ENCRYPTION,
    ],
    metadata: true,
    status: 200,
    answerHeaders: ['etag', 'x-amz-version-id', ...CHECKSUMS],
    answer: null,
  },
  CopyObject: {
    method: 'PUT',
    on: 'object',
    marked: {},
    markedBy: 'x-amz-copy-source',
    needs: {},
    may: {},
    headers: [
      ...['x-amz-copy-source', 'x-amz-copy-source-if-match', 'x-amz-metadata-directive'],
      ...['x-amz-checksum-algorithm', 'x-amz-tagging-directive'],
      ...CONTENT,
      ...ENCRYPTION,
    ],
    metadata: true,
    status: 200,
    answerHeaders: ['x-amz-version-id', 'x-amz-copy-source-version-id', ...ENCRYPTION],
    answer: { root: 'CopyObjectResult', shape: { one: { ETag: 'text', LastModified: 'time' } } },
  },
  GetObject: {
    method: 'GET',
    on: 'object',
    marked: {},
    needs: {},
    may: {
      'response-cache-control': 'text',
      'response-content-disposition': 'text',
      'response-content-encoding': 'text',
      'response-content-language': 'text',
      'response-content-type': 'text',
      'response-expires': 'time',
      partNumber: 'integer',
      versionId: 'text',
    },
    headers: ['range', 'x-amz-checksum-mode', ...CONDITIONS],
    metadata: true,
    status: 200,
    answerHeaders: ['content-range', ...OBJECT_ANSWER],
    answer: null,
  },
  HeadObject: {
    method: 'HEAD',
    on: 'object',
    marked: {},
    needs: {},
    may: { partNumber: 'integer', versionId: 'text' },
    headers: ['range', 'x-amz-checksum-mode', ...CONDITIONS],
    metadata: true,
    status: 200,
    answerHeaders: OBJECT_ANSWER,
    answer: null,
  },
  DeleteObject: {
    method: 'DELETE',
    on: 'object',
    marked: {},
    needs: {},
    may: { versionId: 'text' },
    headers: [],
    status: 204,
    answerHeaders: ['x-amz-delete-marker', 'x-amz-version-id'],
    answer: null,
  },
  ListObjectsV2: {
    method: 'GET',
    on: 'bucket',
    marked: { 'list-type': '2' },
    needs: {},
    may: {
      'continuation-token': 'text',
      delimiter: 'text',
      'encoding-type': 'text',
      'fetch-owner': 'boolean',
      'max-keys': 'integer',
      prefix: 'text',
      'start-after': 'text',
    },
    headers: [],
    status: 200,
    answerHeaders: [],
    answer: {
      root: 'ListBucketResult',
      shape: {
        one: {
          Name: 'text',
          Prefix: 'text',
          Delimiter: 'text',
          MaxKeys: 'integer',
          KeyCount: 'integer',
          IsTruncated: 'boolean',
          EncodingType: 'text',
          ContinuationToken: 'text',
          NextContinuationToken: 'text',
          StartAfter: 'text',
        },
        many: {
          Contents: {
            one: { Key: 'text', LastModified: 'time', ETag: 'text', Size: 'integer', StorageClass: 'text' },
            nested: { Owner: OWNER },
          },
          CommonPrefixes: { one: { Prefix: 'text' } },
        },
      },
    },
  },
  CreateMultipartUpload: {
    method: 'POST',
    on: 'object',
    marked: { uploads: '' },
    needs: {},
    may: {},
    headers: ['x-amz-checksum-algorithm', 'x-amz-tagging', ...CONTENT, ...ENCRYPTION],
    metadata: true,
    status: 200,
    answerHeaders: ['x-amz-abort-date', 'x-amz-checksum-algorithm'],
    answer: {
      root: 'InitiateMultipartUploadResult',
      shape: { one: { Bucket: 'text', Key: 'text', UploadId: 'text' } },
    },
  },
  UploadPart: {
    method: 'PUT',
    on: 'object',
    marked: {},
    needs: { partNumber: 'integer', uploadId: 'text' },
    may: {},
    headers: ['content-length', 'content-md5', 'x-amz-sdk-checksum-algorithm', ...CHECKSUMS],
    status: 200,
    answerHeaders: ['etag', ...CHECKSUMS],
    answer: null,
  },
  CompleteMultipartUpload: {
    method: 'POST',
    on: 'object',
    marked: {},
    needs: { uploadId: 'text' },
    may: {},
    headers: CHECKSUMS,
    status: 200,
    answerHeaders: ['x-amz-version-id'],
    answer: {
      root: 'CompleteMultipartUploadResult',
      shape: {
        one: {
          Location: 'text',
          Bucket: 'text',
          Key: 'text',
          ETag: 'text',
          ChecksumCRC32: 'text',
          ChecksumCRC32C: 'text',
          ChecksumSHA1: 'text',
          ChecksumSHA256: 'text',
        },
      },
    },
  },
  AbortMultipartUpload: {
    method: 'DELETE',
    on: 'object',
    marked: {},
    needs: { uploadId: 'text' },
    may: {},
    headers: [],
    status: 204,
    answerHeaders: [],
    answer: null,
  },
  ListMultipartUploads: {
    method: 'GET',
    on: 'bucket',
    marked: { uploads: '' },
    needs: {},
    may: {
      delimiter: 'text',
      'encoding-type': 'text',
      'key-marker': 'text',
      'max-uploads': 'integer',
      prefix: 'text',
      'upload-id-marker': 'text',
    },
    headers: [],
    status: 200,
    answerHeaders: [],
    answer: {
      root: 'ListMultipartUploadsResult',
      shape: {
        one: {
          Bucket: 'text',
          KeyMarker: 'text',
          UploadIdMarker: 'text',
          NextKeyMarker: 'text',
          NextUploadIdMarker: 'text',
          Prefix: 'text',
          Delimiter: 'text',
          EncodingType: 'text',
          MaxUploads: 'integer',
          IsTruncated: 'boolean',
        },
        many: {
          Upload: {
            one: { Key: 'text', UploadId: 'text', Initiated: 'time', StorageClass: 'text' },
            nested: { Owner: OWNER, Initiator: OWNER },
          },
          CommonPrefixes: { one: { Prefix: 'text' } },
        },
      },
    },
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

/** Elements of one part in the body of CompleteMultipartUpload. */
export const completedPart: Readonly<Record<string, Kind>> = {
  PartNumber: 'integer',
  ETag: 'text',
  ChecksumCRC32: 'text',
  ChecksumCRC32C: 'text',
  ChecksumSHA1: 'text',
  ChecksumSHA256: 'text',
};

/** Error codes and the status that each comes with. */
export const errorStatus = {
  AccessDenied: 403,
  AuthorizationHeaderMalformed: 400,
  AuthorizationQueryParametersError: 400,
  BadDigest: 400,
  EntityTooSmall: 400,
  ExpiredToken: 400,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  InvalidArgument: 400,
  InvalidPart: 400,
  InvalidPartOrder: 400,
  InvalidRange: 416,
  InvalidToken: 400,
  MalformedXML: 400,
  MethodNotAllowed: 405,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NoSuchUpload: 404,
  PermanentRedirect: 301,
  PreconditionFailed: 412,
  RequestTimeTooSkewed: 403,
  SignatureDoesNotMatch: 403,
  SlowDown: 503,
  XAmzContentSHA256Mismatch: 400,
} as const;

export type ErrorCode = keyof typeof errorStatus;

/** The store refuses. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string = code) {
    super(message);
    this.code = code;
  }
}
