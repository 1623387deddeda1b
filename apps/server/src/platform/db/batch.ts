/**
 * Looks up rows one by one that are read together: all lookups of one turn of the event loop go into one
 * query, which starts after all of them, so that nobody gets a stale result. Alone, a lookup is one query as
 * usual; the busier the process, the fewer queries per response.
 *
 * `load` gives the rows it finds by name; a lookup of another name is undefined. When it fails, all of its
 * lookups do.
 */
export function batchLookups<Row>(
  load: (names: string[]) => Promise<ReadonlyMap<string, Row>>,
): (name: string) => Promise<Row | undefined> {
  let waiting: { names: Set<string>; rows: Promise<ReadonlyMap<string, Row>> } | null = null;

  const begin = () => {
    const names = new Set<string>();
    const rows = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      waiting = null;
      return load([...names]);
    });
    return { names, rows };
  };

  return async (name) => {
    waiting ??= begin();
    waiting.names.add(name);
    return (await waiting.rows).get(name);
  };
}
