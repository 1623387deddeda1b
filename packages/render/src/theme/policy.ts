import { pagePolicy } from '@offprint/bundle/policy';

/**
 * First in `<head>` of every HTML file of an export: the character encoding, and the policy, which applies only to what
 * follows it.
 */
export const documentStart = `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${pagePolicy}">`;
