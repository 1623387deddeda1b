/** What is wrong with the form of an address of another host; null for sound ones and for all others. */
export function externalFault(href: string): string | null {
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

/** Names of the internet have a dot; machines of one's own have an address or one of the usual names. */
function isHost(name: string): boolean {
  return /^localhost$|^host\.docker|^\[|\.[a-z0-9-]+\.?$/i.test(name) && !/\.\.|^\./.test(name);
}
