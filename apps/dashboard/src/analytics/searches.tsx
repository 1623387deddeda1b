import type { Project } from '@offprint/contract';
import { Search } from 'lucide-react';
import { Ago, Empty, FilterSelect, Filters, Loaded, NONE, Table, useSearchParam } from '../ui/index.ts';
import { countWords } from '../usage/chart.ts';
import { AskAgent } from './ask-agent.tsx';
import { type Period, useAnalytics } from './data.ts';
import { searchPrompt } from './prompts.ts';

const LIMIT = 100;

const totalWords = (total: number): string =>
  total === 1 ? '1 search in these days.' : `${countWords(total)} searches in these days.`;

/** What readers searched. */
export function Searches({ project, period }: { project: Project; period: Period }) {
  const [results, setResults] = useSearchParam('results', '');
  const withoutResults = results === 'none';
  const searches = useAnalytics(project, period, `searches/${withoutResults}`, (api, query, signal) =>
    api.getAnalyticsSearches(
      project.id,
      { ...query, limit: LIMIT, ...(withoutResults ? { withoutResults } : {}) },
      { signal },
    ),
  );
  return (
    <>
      <Filters label="Searches">
        <FilterSelect
          label="Results"
          all="All searches"
          value={withoutResults ? 'none' : ''}
          onChange={setResults}
          options={[{ value: 'none', label: 'Without results' }]}
        />
      </Filters>
      <Loaded query={searches} fault="The searches did not load">
        {({ searches: rows, totalSearches, nextCursor }) =>
          rows.length === 0 ? (
            <Empty
              icon={<Search />}
              title={withoutResults ? 'Every search had results' : 'No searches in these days'}
            >
              {withoutResults
                ? 'Searches that find nothing are listed here: they show what readers miss.'
                : 'What readers type into the search of the site is listed here, with the results that they open.'}
            </Empty>
          ) : (
            <>
              <p className="mb-3 text-muted text-sm">
                {totalWords(totalSearches)}
                {nextCursor !== null && ` The ${rows.length} most frequent are listed.`}
              </p>
              <Table
                label="Searches"
                rows={rows}
                rowKey={({ searchQuery }) => searchQuery}
                columns={[
                  {
                    head: 'Search',
                    cell: ({ searchQuery }) => <span className="break-words">{searchQuery}</span>,
                  },
                  { head: 'Times', width: '80px', align: 'end', cell: ({ hits }) => countWords(hits) },
                  {
                    head: 'Without results',
                    width: '130px',
                    align: 'end',
                    cell: ({ withoutResults: none }) => (none === 0 ? NONE : countWords(none)),
                  },
                  {
                    head: 'Opened',
                    width: '24%',
                    cell: ({ topClickedPage, ctr }) =>
                      topClickedPage === null ? (
                        NONE
                      ) : (
                        <span className="break-all">
                          {topClickedPage} <span className="text-muted">({Math.round(100 * ctr)}%)</span>
                        </span>
                      ),
                  },
                  {
                    head: 'Last',
                    width: '100px',
                    extra: true,
                    cell: ({ lastSearchedAt }) => <Ago at={lastSearchedAt} />,
                  },
                  {
                    head: '(Acts)',
                    width: '130px',
                    align: 'end',
                    cell: ({ searchQuery, withoutResults: none }) =>
                      none === 0 ? null : (
                        <AskAgent project={project} prompt={searchPrompt(searchQuery)} about={searchQuery} />
                      ),
                  },
                ]}
              />
            </>
          )
        }
      </Loaded>
    </>
  );
}
