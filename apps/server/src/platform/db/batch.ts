/**
 * Looks up rows one by one that are read together: what is asked for in one turn of the event loop goes into one query,
 * which begins after all of it was asked, so that nobody is told what was true before. Alone, a lookup is a query as
 * ever; the busier the process, the fewer queries an answer costs.
 *
 * `load` gives the rows it finds by name; a lookup of another name is undefined. When it fails, all of its lookups do.
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
