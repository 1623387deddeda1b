/** Feature support by deployment type: the table that every installation obeys, as it is written down for users. */
const TABLE = `
| Feature | Cloud | Client-hosted | Air-gapped |
|---|---|---|---|
| Documentation search | available | configurable | unavailable |
| AI assistant | available | configurable | unavailable |
| Web analytics | available | configurable | unavailable |
| API playground ("Try it") | available | available | configurable |
| Static export bundle | available | available | available |
`;

const NAMES = ['search', 'assistant', 'analytics', 'playground', 'static-export'] as const;
const TYPES = ['cloud', 'client-hosted', 'air-gapped'] as const;

export interface Cell {
  name: (typeof NAMES)[number];
  type: (typeof TYPES)[number];
  availability: string;
}

/** Words of every row after the name of the feature, from its first line on. */
const rows = TABLE.trim()
  .split('\n')
  .slice(2)
  .map((line) =>
    line
      .split('|')
      .slice(2, -1)
      .map((word) => word.trim()),
  );

/** The 15 cells, row by row. */
export const featureCells: readonly Cell[] = NAMES.flatMap((name, row) =>
  TYPES.map((type, column) => ({ name, type, availability: rows[row]?.[column] ?? '' })),
);

/** The words of the five rows. */
export const featureRows: readonly (readonly string[])[] = rows;
