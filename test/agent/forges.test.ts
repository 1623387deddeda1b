/** Our clients against doubles of the forges, both held to the official descriptions of their APIs. */
import { describe, test } from 'vitest';
import { doubleRows, rows } from '../support/forge/contract.ts';
import type { DoubleOptions, ForgeDouble } from '../support/forge/double.ts';
import { startGiteaDouble } from '../support/forge/gitea.ts';
import { startGithubDouble } from '../support/forge/github.ts';
import { startGitlabDouble } from '../support/forge/gitlab.ts';
import { type DoubleStage, setStage } from '../support/forge/ground.ts';

type Start = (options: DoubleOptions) => Promise<ForgeDouble>;

const forges: Record<string, Start> = {
  GitHub: startGithubDouble,
  GitLab: startGitlabDouble,
  Gitea: startGiteaDouble,
};

/** The same with another surface: what holds on every forge. */
const kin: Record<string, Start> = {
  'GitHub Enterprise Server': (options) => startGithubDouble({ ...options, isServer: true }),
  'an old Gitea': (options) => startGiteaDouble({ ...options, isOld: true }),
};

async function play<T extends { run(ground: DoubleStage): Promise<void> }>(
  start: Start,
  row: T,
): Promise<void> {
  const stage = await setStage(start);
  try {
    await row.run(stage);
  } finally {
    await stage.stop();
  }
}

describe.each(Object.entries(forges))('%s', (_name, start) => {
  test.each([...rows, ...doubleRows])('$name', (row) => play(start, row));
});

describe.each(Object.entries(kin))('%s', (_name, start) => {
  test.each(rows)('$name', (row) => play(start, row));
});
