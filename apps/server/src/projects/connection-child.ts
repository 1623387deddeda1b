/** Main module of a sandbox child: reads the configuration of a docs folder and counts its pages. */
import { checkSite, directorySource } from '@offprint/render';
import { serveOnce } from '../platform/sandbox/protocol.ts';

export interface ConfigAnswer {
  /** Null when the docs cannot be exported at all. */
  name: string | null;
  pages: number;
  /** What stops an export, with its place. */
  fault: string | null;
  /** Defects of the configuration and the front matter. */
  defects: number;
}

serveOnce<null, never, ConfigAnswer>((_input, { folders }) => {
  const { name, pageCount, findings } = checkSite(directorySource(folders.source), { parseOnly: true });
  const fault =
    name === null ? (findings.find(({ severity }) => severity === 'error') ?? findings[0]) : undefined;
  return {
    name,
    pages: pageCount,
    fault:
      fault === undefined
        ? null
        : `${fault.file}${fault.line === null ? '' : `:${fault.line}`}: ${fault.message}`,
    defects: findings.filter(({ severity }) => severity !== 'info').length,
  };
});
