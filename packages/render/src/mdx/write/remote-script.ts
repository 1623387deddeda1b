import type { RemoteFile } from '../../remote/remote-files.ts';
import { hostsWarning, namedHosts } from '../../scripts/hosts.ts';
import type { Element } from '../../tree.ts';
import { remoteUrl } from './links.ts';
import type { Writer } from './writer.ts';

/**
 * Makes the page load the copy of a script that it names on another host. False where there is no copy, so that the
 * element is left out like any other script.
 */
export function useRemoteScript({ name, props }: Element, writer: Writer): boolean {
  const url = name === 'script' ? remoteUrl(props.src) : null;
  const copy = url === null ? null : writer.site.remote.find(url, 'script');
  if (copy === null) return false;
  if (copy !== 'wanted') {
    writer.use({ kind: 'script', path: copy.path, content: () => copy.content });
    reportHosts(copy, String(props.src), writer);
  }
  return true;
}

/** Copies that were searched for hosts; the first page that loads one is named. */
const searched = new WeakSet<RemoteFile>();

function reportHosts(copy: RemoteFile, url: string, { page, site }: Writer): void {
  if (searched.has(copy)) return;
  searched.add(copy);
  const named = namedHosts(new TextDecoder().decode(copy.content), site.siteUrl);
  const file = page.source ?? page.path;
  const subject = `The script \`${url.slice(0, 120)}\``;
  const warning = hostsWarning(file, named === null ? null : { ...named, line: null }, subject);
  if (warning !== null) site.warn(warning);
}
