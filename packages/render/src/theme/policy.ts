import { connectedPolicy, pagePolicy } from '@offprint/bundle/policy';

/**
 * First in `<head>` of every HTML file of an export: the character encoding, and the policy, which applies only to what
 * follows it.
 */
export const documentStart = startWith(pagePolicy);

/** {@link documentStart} of a page that sends requests to these origins. */
export function connectedStart(connect: readonly string[]): string {
  return connect.length === 0 ? documentStart : startWith(connectedPolicy(connect));
}

function startWith(policy: string): string {
  return `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">`;
}
