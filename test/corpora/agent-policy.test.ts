/** What agent jobs may not publish, held against real docs: rules that hit what people write every day are none. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findRisks } from '../../apps/server/src/agent/policy/mdx-risk.ts';
import { writeFault } from '../../apps/server/src/agent/policy/paths.ts';
import { findSecrets } from '../../apps/server/src/agent/policy/secrets.ts';
import { findInvisible } from '../../apps/server/src/agent/policy/unicode.ts';
import { corpora, corporaFolder, NO_CORPORA, pageFiles } from '../support/corpora.ts';

/** A key in the form of a provider, whole and random, in the sample of a page. */
const KNOWN_SECRETS = ['traceloop__docs/openllmetry/integrations/braintrust.mdx'];
/** Values as a job knows them: none of them is in any text. */
const OWN = ['sk-ant-api03-vLr8Qm2Xw5Tn9Kb4Zc7Hd1Jf6Gs3Py0Rq', 'ghp_4Zc7Hd1Jf6Gs3Py0RqvLr8Qm2Xw5Tn9Kb'];

const files = corpora().flatMap(({ name, folder }) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(mdx?|json|ya?ml|svg|css)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ name: `${name}/${path.slice(folder.length + 1)}`, text: readFileSync(path, 'utf8') })),
);

describe.skipIf(corporaFolder() === null)(
  corporaFolder() === null ? `agent jobs on real docs (${NO_CORPORA})` : 'agent jobs on real docs',
  () => {
    test('every page may be written', () => {
      const refused = corpora().flatMap(({ name, folder }) =>
        pageFiles(folder)
          .filter((path) => writeFault(path, { docsFolder: '', allow: [] }) !== null)
          .map((path) => `${name}/${path}`),
      );
      // Instructions for agents, which stand among the pages.
      expect(refused.filter((path) => !/(?:AGENTS|CLAUDE|skill)\.md$/i.test(path))).toEqual([]);
    });

    test('samples of keys are not taken for keys', () => {
      const found = files.filter(({ text }) => findSecrets(text, OWN).length > 0).map(({ name }) => name);
      expect(found).toEqual(KNOWN_SECRETS);
    });

    test('less than one file in a hundred has what would not be published if it were new', () => {
      const blocked = files.filter(({ name, text }) => findRisks(name, text).some(({ blocks }) => blocks));
      expect(blocked.length / files.length).toBeLessThan(0.01);
    });

    test('emoji and scripts that spell with joiners are no invisible text', () => {
      const found = files.filter(({ text }) => findInvisible(text).length > 0).map(({ name }) => name);
      expect(found).toEqual(['hoppscotch__docs/support/privacy.mdx']);
    });
  },
);
