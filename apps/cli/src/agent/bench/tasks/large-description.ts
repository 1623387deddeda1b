import { buildFixture, type Files } from '../fixture/fixture.ts';
import { FLEET_API, FLEET_PATH, withFleetApi } from '../fixture/large.ts';
import { withEdit } from '../text.ts';
import { exactTask } from './exact.ts';

export const SHIPS = 'guides/ships.mdx';

const start = (): Files =>
  withFleetApi(buildFixture()).set(
    SHIPS,
    `---
title: Ships
description: List the ships of a dock.
---

Dock 731 has its own limits:

| Parameter | Default | Maximum |
| --- | --- | --- |
| \`limit\` | ? | ? |
| \`radius\` | ? | ? |
| \`days\` | ? | ? |

Other docks have others.
`,
  );

export const factsOfDescription = exactTask({
  id: 18,
  name: 'Find facts in an API description of 2 MB',
  start,
  turns: [
    {
      prompt: `Replace each question mark in the table of ${SHIPS} by the number that ${FLEET_API} states for GET ${FLEET_PATH}.`,
      expected: () =>
        [
          ['limit', 10 + (731 % 40), 50 + (731 % 150)],
          ['radius', 100 + 731, 900 + 731],
          ['days', 1 + (731 % 29), 30 + (731 % 60)],
        ].reduce(
          (files, [name, standard, most]) =>
            withEdit(files, SHIPS, `| \`${name}\` | ? | ? |`, `| \`${name}\` | ${standard} | ${most} |`),
          start(),
        ),
    },
  ],
});

export const editOfDescription = exactTask({
  id: 19,
  name: 'Correct one sentence of an API description of 2 MB',
  start,
  turns: [
    {
      prompt: `In ${FLEET_API}, the description of GET ${FLEET_PATH} says "A ship is listed until it leaves." That dock lists a ship "until one hour after it leaves." Correct the sentence of that operation only.`,
      expected: () =>
        withEdit(
          start(),
          FLEET_API,
          'moored in dock 731, those that arrived last first. A ship is listed until it leaves.',
          'moored in dock 731, those that arrived last first. A ship is listed until one hour after it leaves.',
        ),
    },
  ],
});
