import type { z } from 'zod';

/** Where the checked value comes from. Errors in a body have JSON pointers, the others have names. */
export type FaultPlace = 'body' | 'query' | 'params' | 'headers';

/** The first error of a request: a sentence, and `param` as in the error body. */
export interface Fault {
  message: string;
  param: string;
}

/** Turns the issues of a failed zod check of a request into the sentence and `param` of a 400 response. */
export function faultOf(issues: readonly z.core.$ZodIssue[], place: FaultPlace): Fault {
  const issue = issues[0];
  if (issue === undefined) return { message: `The ${place} is not valid.`, param: place };
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? '';
    const param = paramOf([...issue.path, key], place);
    return { message: `Unknown ${place === 'query' ? 'parameter' : 'field'} ${param}.`, param };
  }
  if (issue.code === 'invalid_union') {
    const inner = issue.errors.find((branch) => branch.length > 0 && branch[0]!.path.length > 0);
    if (inner !== undefined) {
      return faultOf(
        inner.map((deep) => ({ ...deep, path: [...issue.path, ...deep.path] })),
        place,
      );
    }
  }
  const param = paramOf(issue.path, place);
  const subject = issue.path.length === 0 ? `The ${place}` : param;
  return { message: `${subject} ${sentenceOf(issue)}.`, param };
}

function sentenceOf(issue: z.core.$ZodIssue): string {
  const text = issue.message.replace(/\.$/, '');
  if (issue.code === 'custom' || text.startsWith('must ')) return text;
  return `is not valid: ${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

/** RFC 6901 pointer for a body; a dotted name for anything else. */
function paramOf(path: readonly PropertyKey[], place: FaultPlace): string {
  if (place !== 'body') return path.length === 0 ? place : path.map(String).join('.');
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
