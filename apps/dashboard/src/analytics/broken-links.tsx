import type { Project } from '@offprint/contract';
import { Unlink } from 'lucide-react';
import { Ago, Empty, Loaded, NONE, Table } from '../ui/index.ts';
import { countWords } from '../usage/chart.ts';
import { AskAgent } from './ask-agent.tsx';
import { type Period, useAnalytics } from './data.ts';
import { brokenLinkPrompt } from './prompts.ts';

/** URLs that readers requested and that the site does not have. */
export function BrokenLinks({ project, period }: { project: Project; period: Period }) {
  const links = useAnalytics(project, period, 'broken-links', (api, query, signal) =>
    api.getAnalyticsBrokenLinks(project.id, { ...query, limit: 100 }, { signal }),
  );
  return (
    <Loaded query={links} fault="The broken links did not load">
      {({ links: rows }) =>
        rows.length === 0 ? (
          <Empty icon={<Unlink />} title="No broken links in these days">
            URLs that readers open and that the site does not have are listed here, with the page that links
            to them.
          </Empty>
        ) : (
          <Table
            label="Broken links"
            rows={rows}
            rowKey={({ path, from }) => `${path} ${from}`}
            columns={[
              { head: 'URL', cell: ({ path }) => <span className="break-all">{path}</span> },
              {
                head: 'Linked from',
                width: '34%',
                cell: ({ from }) => (from === '' ? NONE : <span className="break-all">{from}</span>),
              },
              { head: 'Times', width: '80px', align: 'end', cell: ({ hits }) => countWords(hits) },
              { head: 'Last', width: '100px', extra: true, cell: ({ lastAt }) => <Ago at={lastAt} /> },
              {
                head: '(Acts)',
                width: '130px',
                align: 'end',
                cell: (link) => (
                  <AskAgent project={project} prompt={brokenLinkPrompt(link)} about={link.path} />
                ),
              },
            ]}
          />
        )
      }
    </Loaded>
  );
}
