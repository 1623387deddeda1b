import { afterAll, beforeAll, expect, test } from 'vitest';
import { isFull } from '../support/size.ts';
import { Died, nextTurn, publish, type Row, START, type Stage, setStage } from './publishing.ts';

/*
 * Every schedule of one death, always. Of two deaths: every one with OFFPRINT_TEST=full; in the usual run, of each first
 * death the second at the last point that is left, where most of the work of the first has been done again.
 */

let stage: Stage;
let schedules = 0;
let deaths = 0;
beforeAll(async () => {
  stage = await setStage();
});
afterAll(async () => {
  await stage.close();
  process.stdout.write(`publishing survived ${schedules} schedules with ${deaths} deaths of a worker\n`);
});

/**
 * One attempt that crashes at a point: 0 is before the first effect, n after effect n is done and before its result is
 * known. A crash before the next effect is equivalent: only reads happen between the two. The row keeps what the
 * journal saved and nothing else. Resolves with the number of effects, or with null after a crash.
 */
async function attempt(row: Row, point: number | null): Promise<number | null> {
  let done = 0;
  const dieAt = (at: number): void => {
    if (at !== point) return;
    deaths += 1;
    throw new Died();
  };
  try {
    await publish(stage, row, {
      async around(_name, effect) {
        if (done === 0) dieAt(0);
        const result = await effect();
        dieAt(++done);
        return result;
      },
    });
    return done;
  } catch (error) {
    if (error instanceof Died) return null;
    throw error;
  }
}

type Check = (row: Row, schedule: string) => Promise<void>;

/**
 * Publishes under every schedule of one death and, with `pairs`, of two: the second at each point that the attempt
 * after the first still has. `begin` makes a job that is about to publish; `check` holds what came of it to the only
 * right outcome. Resolves with how many schedules there were.
 */
async function everySchedule(begin: () => Promise<Row>, check: Check, pairs = false): Promise<number> {
  let count = 0;
  const survive = async (points: readonly number[]): Promise<number> => {
    const row = await begin();
    const schedule = `dies at ${points.join(', then at ')}`;
    for (const point of points) expect(await attempt(row, point), schedule).toBeNull();
    const left = (await attempt(row, null)) ?? 0;
    await check(row, schedule);
    count += 1;
    return left;
  };
  const effects = await survive([]);
  const firsts = Array.from({ length: effects + 1 }, (_, point) => point);
  const surviveFrom = async (first: number): Promise<void> => {
    const left = await survive([first]);
    if (!pairs) return;
    for (let second = isFull ? 0 : left; second <= left; second += 1) await survive([first, second]);
  };
  // Jobs do not know of one another, so two go at the same time.
  const lane = async (): Promise<void> => {
    for (let first = firsts.shift(); first !== undefined; first = firsts.shift()) await surviveFrom(first);
  };
  await Promise.all([lane(), lane()]);
  schedules += count;
  return count;
}

const edited = (from: string, to: string, text = START): string => text.replace(from, to);

/** Everything of the job, in the repository and at the forge. */
async function outcomeOf(row: Row) {
  const format = '--format=%H %P %T';
  const line = (await stage.git('log', format, `${stage.base}..${row.branch}`)).trim().split('\n');
  const pulls = stage.double.rows().filter(({ head }) => head === row.branch);
  const named = [...(await stage.refs()).keys()].filter((name) => name.includes(row.jobId.slice(4, 12)));
  return { line, pulls, named };
}

/** Expects a branch of `commits` commits, one pull request, and the requested text after a follow-up. */
function followUp(commits: number, textOf: (row: Row) => string): Check {
  return async (row, schedule) => {
    const { line, pulls, named } = await outcomeOf(row);
    expect(named, schedule).toEqual([`refs/heads/${row.branch}`]);
    expect(line, schedule).toHaveLength(commits);
    expect(line[0]?.split(' ')[0], schedule).toBe(row.pushedSha);
    expect(await stage.text(row.branch, 'docs/start.mdx'), schedule).toBe(textOf(row));
    expect(pulls, schedule).toHaveLength(1);
    expect(pulls[0], schedule).toMatchObject({ state: 'open', title: 'Describe the start' });
    expect(pulls[0]?.body.match(/^### Say it better$/gm), schedule).toHaveLength(1);
  };
}

const foreign = async () =>
  [...(await stage.refs())].filter(([name]) => !name.startsWith('refs/heads/offprint/'));
const TIMEOUT = 600_000;
/**
 * Beside no death, and one at six points around five effects: two deaths, the second where the first leaves something to
 * do.
 */
const TWICE = isFull ? 6 + 6 + 4 + 3 + 2 + 2 : 6;

test(
  'a first publication that is killed anywhere, twice, makes one branch, one commit and one pull request',
  async () => {
    const before = await foreign();
    const trees = new Set<string>();
    const count = await everySchedule(
      async () => stage.row({ 'start.mdx': edited('one', 'ONE'), 'new.mdx': 'new\n' }),
      async (row, schedule) => {
        const { line, pulls, named } = await outcomeOf(row);
        expect(named, schedule).toEqual([`refs/heads/${row.branch}`]);
        expect(line, schedule).toHaveLength(1);
        const [commit, parent, tree = ''] = line[0]?.split(' ') ?? [];
        expect([row.commitSha, row.pushedSha, parent], schedule).toEqual([commit, commit, stage.base]);
        trees.add(tree);
        expect(pulls, schedule).toHaveLength(1);
        expect(pulls[0], schedule).toMatchObject({ state: 'open', title: 'Describe the start' });
        const numbers = row.pullRequests.map(({ number }) => number);
        expect(numbers, schedule).toEqual([pulls[0]?.number]);
      },
      true,
    );
    expect(trees.size).toBe(1);
    expect(count).toBe(1 + 6 + TWICE);
    expect(await foreign()).toEqual(before);
  },
  TIMEOUT,
);

test(
  'a follow-up that is killed anywhere adds one commit and keeps the pull request',
  async () => {
    const before = await foreign();
    const begin = async (): Promise<Row> => {
      const row = stage.row({ 'start.mdx': edited('one', 'ONE') });
      await publish(stage, row);
      nextTurn(row, { 'start.mdx': edited('one', 'First') }, 'Say it better');
      return row;
    };
    expect(
      await everySchedule(
        begin,
        followUp(2, () => edited('one', 'First')),
      ),
    ).toBe(1 + 6);
    expect(await foreign()).toEqual(before);
  },
  TIMEOUT,
);

test(
  'a follow-up on what people pushed that is killed anywhere, twice, merges it once',
  async () => {
    const before = await foreign();
    const byHand = (row: Row): string => `by hand for ${row.jobId}`;
    const begin = async (): Promise<Row> => {
      const row = stage.row({ 'start.mdx': edited('one', 'ONE') });
      await publish(stage, row);
      const human = await stage.server.commit(
        'acme/docs.git',
        [{ path: 'docs/start.mdx', content: edited('five', byHand(row), edited('one', 'ONE')) }],
        { ref: null, parent: row.pushedSha ?? '' },
      );
      await stage.git('update-ref', `refs/heads/${row.branch}`, human);
      nextTurn(row, { 'start.mdx': edited('one', 'First') }, 'Say it better');
      return row;
    };
    // That of the first turn, that of people, the one of this turn, and the merge of both.
    const check = followUp(4, (row) => edited('five', byHand(row), edited('one', 'First')));
    expect(await everySchedule(begin, check, true)).toBe(1 + 6 + TWICE);
    expect(await foreign()).toEqual(before);
  },
  TIMEOUT,
);
