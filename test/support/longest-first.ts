/**
 * Order of test files: the longest first, so that at the end of a run no core waits for a file that has just started.
 * `durations.json` has the elapsed seconds of long files, written by a run with OFFPRINT_TEST_DURATIONS. It is only a
 * hint: a file that is not in it counts by its size, and one that no longer exists is ignored.
 */
import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What a second of a test file weighs on average. */
const BYTES_PER_SECOND = 400;

const known: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(new URL('durations.json', import.meta.url), 'utf8'),
);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const weighed = await Promise.all(
      files.map(async (file) => ({ file, seconds: await this.#expectedSeconds(file) })),
    );
    return weighed
      .sort(
        (a, b) =>
          orderOf(a.file) - orderOf(b.file) ||
          nameOf(a.file).localeCompare(nameOf(b.file)) ||
          b.seconds - a.seconds,
      )
      .map(({ file }) => file);
  }

  async #expectedSeconds({ moduleId }: TestSpecification): Promise<number> {
    const path = moduleId.slice(this.ctx.config.root.length + 1);
    return known[path] ?? (await stat(moduleId)).size / BYTES_PER_SECOND;
  }
}

/** Vitest starts the projects one after the other, by this number and then by their names. */
const orderOf = ({ project }: TestSpecification): number => project.config.sequence.groupOrder;
const nameOf = ({ project }: TestSpecification): string => project.name;
