import type { Element } from '../tree.ts';
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
  if (copy !== 'wanted') writer.use({ kind: 'script', path: copy.path, content: () => copy.content });
  return true;
}
