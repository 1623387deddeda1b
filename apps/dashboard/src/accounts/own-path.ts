/** Whether an address is a path of this site: `//host` and `/\host` are not. */
export function isOwnPath(address: string): boolean {
  return /^\/(?![/\\])[\x21-\x7e]*$/.test(address);
}
