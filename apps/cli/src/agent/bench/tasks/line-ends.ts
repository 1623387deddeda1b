import { buildFixture, type Files } from '../fixture/fixture.ts';
import { textOf, withEdit } from '../text.ts';
import { exactTask } from './exact.ts';

const crlf = (text: string): string => text.replaceAll('\n', '\r\n');

/** Every page has the line ends of Windows. */
function windowsDocs(): Files {
  const files = buildFixture();
  for (const [path, content] of files) {
    if (typeof content === 'string' && path.endsWith('.mdx')) {
      files.set(path, crlf(content.replaceAll('\r\n', '\n')));
    }
  }
  return files;
}

const BATCHING = 'guides/batching.mdx';

export const windowsEdit = exactTask({
  id: 16,
  name: 'Edit a page with Windows line ends',
  start: windowsDocs,
  turns: [
    {
      prompt: `${BATCHING} says that one acknowledgement counts for all. Say instead: "One acknowledgement counts for the whole batch". Change nothing else.`,
      expected: () =>
        withEdit(
          windowsDocs(),
          BATCHING,
          'One acknowledgement counts for all;',
          'One acknowledgement counts for the whole batch;',
        ),
    },
  ],
});

export const REPORTS = 'guides/reports.mdx';
const SECTION = `## Time zone

Reports use the time zone of the organization.

- Change it under **Settings**.
- Old reports keep theirs.
`;

/** A page with Windows line ends that imports a snippet. */
function reportDocs(): Files {
  return buildFixture()
    .set('snippets/quota.mdx', 'A report counts against the quota of the organization.\n')
    .set(
      REPORTS,
      crlf(`---
title: Reports
description: What a report contains.
---

import Quota from '/snippets/quota.mdx';

A report lists the deliveries of a day. It is \`ready\` at 03:00.

<Quota />

## Formats

Reports are CSV or JSON; the first line of a CSV file names its columns.
`),
    );
}

export const windowsSection = exactTask({
  id: 17,
  name: 'Add a section to a page with Windows line ends',
  start: reportDocs,
  turns: [
    {
      prompt: `Add this section at the end of ${REPORTS}, after a blank line, exactly as it is:\n\n${SECTION}`,
      expected: () => {
        const files = reportDocs();
        return files.set(REPORTS, `${textOf(files, REPORTS)}\r\n${crlf(SECTION)}`);
      },
    },
  ],
});
