/** Responses of the doubles to requests that our client does not send, each row with the source for the behavior of the forge. */
import { expect, test } from 'vitest';
import { type Behavior, behaviors } from '../support/forge/behavior.ts';
import { startGiteaDouble } from '../support/forge/gitea.ts';
import { startGithubDouble } from '../support/forge/github.ts';
import { startGitlabDouble } from '../support/forge/gitlab.ts';
import { setStage } from '../support/forge/ground.ts';

const starts = { github: startGithubDouble, gitlab: startGitlabDouble, gitea: startGiteaDouble };

test.each(behaviors)('$forge: $name', async (row: Behavior) => {
  expect(row.source).toMatch(/^https:\/\/\S+$/);
  const ground = await setStage(starts[row.forge]);
  try {
    const branch = ground.newBranch();
    await (row.isEmpty === true ? ground.pushEmpty(branch) : ground.push(branch));
    await row.given?.(ground, branch);
    const { method = 'GET', path, body, token } = row.ask(branch, ground);
    const response = await fetch(`${ground.double.apiUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token ?? ground.double.tokens.write}`,
        'user-agent': 'test',
        'content-type': 'application/json',
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    expect(response.status, text).toBe(row.status);
    if (row.says !== undefined) expect(text).toMatch(row.says);
    if (row.holds !== undefined) expect(row.holds(JSON.parse(text) as never), text).toBe(true);
    for (const [name, pattern] of Object.entries(row.headers ?? {}))
      expect(response.headers.get(name)).toMatch(pattern);
  } finally {
    await ground.stop();
  }
});
