/**
 * What vectors add to a search on a server: time to compare one query with every section of a site, and how often the
 * ten best sections are those of vectors with 32 bits for each dimension.
 *
 *   node bench/vectors.ts [--sections 20000] [--queries 200]
 */
import { parseArgs } from 'node:util';
import { compareVectors, prepareVectors, quantize, quantizeQuery } from '@offprint/search';

const { values: options } = parseArgs({
  options: {
    sections: { type: 'string', default: '20000' },
    queries: { type: 'string', default: '200' },
  },
});
const SECTIONS = Number(options.sections);
const QUERIES = Number(options.queries);
/** Topics around which sections are, as texts of docs are. */
const TOPICS = 200;
const EXACT = 20;

/** The times of the system are too coarse for some milliseconds. */
const now = (): number => performance.now();

let state = 1;
const random = (): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};
/** Nearly normal. */
const gauss = (): number => random() + random() + random() + random() - 2;
const around = (center: readonly number[], spread: number): number[] =>
  center.map((value) => value + gauss() * spread);

const top = (scores: ArrayLike<number>): number[] =>
  Array.from({ length: scores.length }, (_, at) => at)
    .sort((a, b) => scores[b]! - scores[a]!)
    .slice(0, 10);

process.stdout.write(
  '| sections | dimensions | bytes, MB | load, ms | median, ms | p95, ms | best 10 as with floats |\n',
);
process.stdout.write('| ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n');
for (const dimensions of [384, 768, 1_536]) {
  const topics = Array.from({ length: TOPICS }, () => Array.from({ length: dimensions }, gauss));
  const floats = new Float32Array(SECTIONS * dimensions);
  const values = new Int8Array(SECTIONS * dimensions);
  for (let row = 0; row < SECTIONS; row++) {
    const vector = around(topics[row % TOPICS]!, 0.7);
    floats.set(vector, row * dimensions);
    values.set(quantize(vector)!, row * dimensions);
  }
  const start = now();
  const vectors = prepareVectors({
    space: 'bench',
    dimensions,
    directories: [{ path: '_offprint/search.js', sections: SECTIONS }],
    count: SECTIONS,
    digests: new Uint8Array(16 * SECTIONS),
    values,
  });
  const load = now() - start;
  const times: number[] = [];
  let same = 0;
  const cosines = new Float32Array(SECTIONS);
  for (let at = 0; at < QUERIES; at++) {
    const query = around(topics[Math.floor(random() * TOPICS)]!, 0.7);
    const from = now();
    compareVectors(vectors, quantizeQuery(query)!, cosines, 0, SECTIONS);
    times.push(now() - from);
    if (at >= EXACT) continue;
    const exact = new Set(top(exactCosines(floats, query)));
    same += top(cosines).filter((row) => exact.has(row)).length;
  }
  times.sort((a, b) => a - b);
  const time = (share: number): string => times[Math.floor((times.length - 1) * share)]!.toFixed(1);
  const share = same / (10 * Math.min(EXACT, QUERIES));
  process.stdout.write(
    `| ${SECTIONS} | ${dimensions} | ${((vectors.values.length + vectors.digests.length) / 1e6).toFixed(1)} | ${load.toFixed(0)} | ${time(0.5)} | ${time(0.95)} | ${(share * 100).toFixed(1)} % |\n`,
  );
}

function exactCosines(floats: Float32Array, query: readonly number[]): Float64Array {
  return Float64Array.from({ length: SECTIONS }, (_, row) => {
    let dot = 0;
    let length = 0;
    for (const [at, value] of query.entries()) {
      const own = floats[row * query.length + at]!;
      dot += own * value;
      length += own * own;
    }
    return dot / Math.sqrt(length);
  });
}
