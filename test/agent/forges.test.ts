/** Our clients against doubles of the forges, both held to the official descriptions of their APIs. */
import { describe, test } from 'vitest';
import { doubleRows, rows } from '../support/forge/contract.ts';
import type { DoubleOptions, ForgeDouble } from '../support/forge/double.ts';
import { startGithubDouble } from '../support/forge/github.ts';
import { setStage } from '../support/forge/ground.ts';

const forges: Record<string, (options: DoubleOptions) => Promise<ForgeDouble>> = {
  GitHub: startGithubDouble,
  'GitHub Enterprise Server': (options) => startGithubDouble({ ...options, isServer: true }),
};

describe.each(Object.entries(forges))('%s', (_name, start) => {
  test.each([...rows, ...doubleRows])('$name', async ({ run }) => {
    const stage = await setStage(start);
    try {
      await run(stage);
    } finally {
      await stage.stop();
    }
  });
});
