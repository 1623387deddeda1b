/** Requests and responses, checked against the table of the protocol. */
import {
  completedPart,
  type ErrorCode,
  type Kind,
  type Operation,
  type OperationName,
  operations,
  Refusal,
  type Shape,
} from './model.ts';

/** Headers that any request may carry. */
const COMMON =
  /^(?:host|connection|accept|accept-encoding|accept-language|authorization|user-agent|content-length|content-type|expect|transfer-encoding|sec-fetch-mode|amz-sdk-invocation-id|amz-sdk-request|x-amz-user-agent|x-amz-date|x-amz-content-sha256|x-amz-security-token|date)$/;
/** Parameters of links, and the name of the call that clients of one maker add. */
const COMMON_QUERY =
  /^(?:X-Amz-(?:Algorithm|Credential|Date|Expires|SignedHeaders|Signature|Security-Token|Content-Sha256)|x-id)$/;
const ANSWER_COMMON = /^(?:date|connection|content-type|content-length|x-amz-request-id|x-amz-id-2)$/;

/** The call that a request makes; throws for one that the table does not have. */
export function operationOf(
  method: string,
  on: 'bucket' | 'object',
  query: URLSearchParams,
  headers: NodeJS.Dict<string | string[]>,
): { name: OperationName; operation: Operation } {
  const fits = (Object.entries(operations) as [OperationName, Operation][]).filter(
    ([, operation]) =>
      operation.method === method &&
      operation.on === on &&
      (operation.markedBy === undefined || headers[operation.markedBy] !== undefined) &&
      Object.entries(operation.marked).every(([name, value]) => query.get(name) === value) &&
      Object.keys(operation.needs).every((name) => query.has(name)),
  );
  const rank = ([, { marked, markedBy, needs }]: [OperationName, Operation]) =>
    Object.keys(marked).length + Object.keys(needs).length + (markedBy === undefined ? 0 : 1);
  const [found] = fits.sort((a, b) => rank(b) - rank(a));
  if (found === undefined) throw new Refusal('MethodNotAllowed', `no ${method} of a ${on} with ?${query}`);
  return { name: found[0], operation: found[1] };
}

/** What of a request the table does not allow. */
export function faultsOfRequest(
  operation: Operation,
  query: URLSearchParams,
  headers: NodeJS.Dict<string | string[]>,
): string[] {
  const faults: string[] = [];
  const known: Record<string, Kind> = { ...operation.needs, ...operation.may };
  for (const [name, value] of query) {
    if (COMMON_QUERY.test(name) || name in operation.marked) continue;
    const kind = known[name];
    if (kind === undefined) faults.push(`parameter ${name}`);
    else if (!isOf(kind, value)) faults.push(`parameter ${name} is no ${kind}: ${value}`);
  }
  for (const name of Object.keys(headers)) {
    if (COMMON.test(name) || operation.headers.includes(name)) continue;
    if (operation.metadata === true && name.startsWith('x-amz-meta-')) continue;
    faults.push(`header ${name}`);
  }
  return faults;
}

/** Parts of a response that the table does not allow. */
export function faultsOfAnswer(
  operation: Operation,
  status: number,
  headers: Record<string, string>,
): string[] {
  const faults: string[] = [];
  const isPart = operation.answerHeaders.includes('content-range') && status === 206;
  if (status !== operation.status && !isPart) faults.push(`status ${status}`);
  for (const name of Object.keys(headers)) {
    if (ANSWER_COMMON.test(name) || operation.answerHeaders.includes(name)) continue;
    if (operation.metadata === true && name.startsWith('x-amz-meta-')) continue;
    faults.push(`header ${name} of the answer`);
  }
  return faults;
}

function isOf(kind: Kind, text: string): boolean {
  if (kind === 'integer') return /^\d+$/.test(text);
  if (kind === 'boolean') return text === 'true' || text === 'false';
  return kind === 'text' || !Number.isNaN(Date.parse(text));
}

export type Value = string | number | boolean | Date | undefined | Content | Content[];
export interface Content {
  [element: string]: Value;
}

/** The response of an operation as XML; throws for an element that the table does not contain, or defines differently. */
export function writeAnswer(operation: Operation, content: Content): string {
  if (operation.answer === null) throw new Error('this call has no answer in XML');
  const { root, shape } = operation.answer;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${write(shape, content)}</${root}>`;
}

export function writeError(code: ErrorCode, message: string, resource: string, requestId: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${escapeXml(message)}</Message><Resource>${escapeXml(resource)}</Resource><RequestId>${requestId}</RequestId></Error>`;
}

function write(shape: Shape, content: Content): string {
  let text = '';
  for (const [name, value] of Object.entries(content)) {
    if (value === undefined) continue;
    const nested = shape.nested?.[name];
    const many = shape.many?.[name];
    if (many !== undefined && Array.isArray(value)) {
      text += value.map((item) => `<${name}>${write(many, item)}</${name}>`).join('');
    } else if (nested !== undefined && typeof value === 'object' && !(value instanceof Date)) {
      text += `<${name}>${write(nested, value as Content)}</${name}>`;
    } else {
      text += `<${name}>${escapeXml(scalar(name, shape.one[name], value))}</${name}>`;
    }
  }
  return text;
}

function scalar(name: string, kind: Kind | undefined, value: Exclude<Value, undefined>): string {
  if (kind === 'time' && value instanceof Date) return value.toISOString();
  if (kind === 'integer' && Number.isInteger(value)) return String(value);
  if (kind === 'boolean' && typeof value === 'boolean') return String(value);
  if (kind === 'text' && typeof value === 'string') return value;
  throw new Error(`the table does not know ${name} as ${typeof value}`);
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"\r]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** The parts that a CompleteMultipartUpload names, in its order. */
export function readParts(body: string): { number: number; etag: string }[] {
  const text = body.replace(/^\s*<\?xml[^>]*\?>/, '').trim();
  const outer = /^<CompleteMultipartUpload(?:\s+xmlns="[^"]*")?>(.*)<\/CompleteMultipartUpload>$/s.exec(text);
  if (outer === null) throw new Refusal('MalformedXML');
  const parts: { number: number; etag: string }[] = [];
  const rest = outer[1]!.replace(/<Part>(.*?)<\/Part>/gs, (_, inner: string) => {
    const found: Record<string, string> = {};
    const left = inner.replace(/<(\w+)>([^<]*)<\/\1>/g, (_all, name: string, value: string) => {
      const kind = completedPart[name];
      if (kind === undefined || !isOf(kind, value)) throw new Refusal('MalformedXML', name);
      found[name] = value.replaceAll('&quot;', '"').replaceAll('&#34;', '"');
      return '';
    });
    if (left.trim() !== '' || found.PartNumber === undefined || found.ETag === undefined) {
      throw new Refusal('MalformedXML', left);
    }
    parts.push({ number: Number(found.PartNumber), etag: found.ETag.replaceAll('"', '') });
    return '';
  });
  if (rest.trim() !== '' || parts.length === 0) throw new Refusal('MalformedXML', rest);
  return parts;
}
