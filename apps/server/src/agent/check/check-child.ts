/** Main module of a sandbox child: checks a docs folder, one page or operation, or finds code in texts. */
import { checkSite, directorySource, withDiagrams } from '@offprint/render';
import { serveOnce } from '../../platform/sandbox/protocol.ts';
import type { OperationAnswer } from './docs-check.ts';
import { describeOperation } from './operation.ts';
import { operationLines } from './operation-lines.ts';
import { listOperations } from './operation-list.ts';
import { readDescription } from './read-description.ts';
import { type CheckRequest, type Found, type Inspected, packFindings } from './request.ts';

serveOnce<CheckRequest, never, Found | OperationAnswer | Inspected>(async (request, { folders }) => {
  switch (request.kind) {
    case 'site':
      return packFindings(await withDiagrams(checkSite(directorySource(folders.source))));
    case 'page': {
      const { checkText } = await import('./check-text.ts');
      return packFindings({ findings: checkText(request.path, request.text), stoppedBy: null });
    }
    case 'operation': {
      const { file, text, files, overlays, operation, filter, page } = request;
      const read = readDescription({ ...files, [file]: text }, file, overlays);
      if ('fault' in read) return read;
      const places = operationLines(text);
      return operation === null
        ? listOperations(read.description, { filter, page, places })
        : describeOperation(read, { ...operation, page, places });
    }
    case 'code': {
      // Most checks need none of it.
      const { inspectTexts } = await import('./inspect-texts.ts');
      return inspectTexts(request);
    }
  }
});
