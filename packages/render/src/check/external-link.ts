/** Describes the error in the form of an external URL; null for valid URLs and for all other links. */
export function externalLinkError(href: string): string | null {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(href)?.[1]?.toLowerCase();
  if (scheme === 'mailto') {
    return /^mailto:[^@\s]+@[^@\s]+/i.test(href)
      ? null
      : 'is not an email address. Write `mailto:name@example.com`.';
  }
  if (scheme !== 'http' && scheme !== 'https') return null;
  if (!/^https?:\/\/[^/]/i.test(href)) return `is not a complete URL. Write \`${scheme}://\` and the host.`;
  const url = URL.canParse(href) ? new URL(href) : null;
  if (url === null) return 'is not a valid URL. Correct the host or the port.';
  if (/\s/.test(href)) return 'contains a space. Write `%20` instead.';
  return isHost(url.hostname)
    ? null
    : `names the host \`${url.hostname}\`, which does not exist. Correct it.`;
}

/** Public host names have a dot; local hosts have an IP address or one of these names. */
function isHost(name: string): boolean {
  return /^localhost$|^host\.docker|^\[|\.[a-z0-9-]+\.?$/i.test(name) && !/\.\.|^\./.test(name);
}
