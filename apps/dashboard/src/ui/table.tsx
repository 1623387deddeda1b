import type { ReactNode } from 'react';

export interface Column<Row> {
  /** Head of the column; on small screens it precedes the cell. '' for the main cell and for buttons. */
  head: string;
  /** Share of the width, such as '30%' or '120px'. */
  width?: string;
  align?: 'end';
  /** Not shown in a narrow table; a card shows it. */
  extra?: boolean;
  cell: (row: Row) => ReactNode;
}

/** What a cell shows that has nothing to show. */
export const NONE = <span className="text-faint">–</span>;

interface TableProps<Row> {
  /** What the rows are, for those who do not see the page. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
}

/**
 * A table with widths of its own; where it has less than 600 px each row is a card. The head of the first column is shown in the table
 * only: its cell is the title of the card. A column whose head is in brackets, such as "(Acts)", shows none.
 */
export function Table<Row>({ label, columns, rows, rowKey }: TableProps<Row>) {
  return (
    <div className="@container relative overflow-x-auto rounded-card border">
      <table aria-label={label} className="records">
        <thead>
          <tr>
            {columns.map(({ head, width, align, extra }) => (
              <th key={head} scope="col" data-align={align} data-extra={extra} style={{ width }}>
                {isHidden(head) ? <span className="sr-only">{head.slice(1, -1)}</span> : head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ head, align, extra, cell }, index) => (
                <td
                  key={head}
                  data-align={align}
                  data-extra={extra}
                  data-label={index === 0 || isHidden(head) ? undefined : head}
                >
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function isHidden(head: string): boolean {
  return head.startsWith('(');
}
