/** The GitHub Action as a runner runs it, and the template for GitLab. */
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorBody, exportBundle, exportJob, exportWarnings } from '@offprint/contract';
import { Ajv } from 'ajv';
import { parseSync } from 'oxc-parser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { z } from 'zod';
import { shape } from '../../deploy/github-action/src/shape.ts';
import { actionScript, buildAction, responseSchema } from '../../scripts/action.ts';
import { hasOpenssl } from '../support/certificate.ts';
import { type HelmCluster, startHelmCluster } from './helm-cluster.ts';
import { chartFolder, whyNoHelm } from './helm-engine.ts';
import { actionSchema, gitlabSchema } from './pipeline-schemas.ts';
import { type Lab, type Running, type Site, startLab, TOKEN } from './publishing.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const action = parse(read('deploy/github-action/action.yml')) as {
  inputs: Record<string, { default?: string; required: boolean }>;
  outputs: Record<string, unknown>;
};

describe('the script of the action', () => {
  test('is what its sources make, below 165 kB, in one file that needs Node only and names no place of a machine', async () => {
    const script = readFileSync(actionScript, 'utf8');
    expect(script === (await buildAction()), 'stale: run npm run docs').toBe(true);
    expect(script.length).toBeLessThan(165_000);
    for (const place of [root.replace(/\/$/, ''), homedir(), tmpdir(), 'node_modules', 'file://'])
      expect(script.includes(place), place).toBe(false);
    const { module } = parseSync('index.mjs', script);
    const imported = module.staticImports.map(({ moduleRequest }) => moduleRequest.value);
    expect(imported.filter((name) => !builtinModules.includes(name.replace(/^node:/, '')))).toEqual([]);
    expect(module.dynamicImports).toEqual([]);
  });

  test('accepts and refuses the same responses as the contract', () => {
    const examples = (schema: z.ZodType) => schema.meta()?.examples as Record<string, unknown>[];
    const warning = { file: 'a.mdx', line: null, code: 'x', message: 'y', sourceUrl: null };
    const answers: [z.ZodType, unknown][] = [
      [exportJob, examples(exportJob)[0]],
      [exportBundle, examples(exportBundle)[0]],
      [errorBody, examples(errorBody)[0]],
      [exportWarnings, [warning]],
    ];
    for (const [schema, answer] of answers) {
      const own = shape(responseSchema(schema));
      expect(own.parse(answer)).toEqual(schema.parse(answer));
      expect(own.safeParse([answer, 1]).success).toBe(false);
      for (const [name, value] of Object.entries(answer as object)) {
        for (const wrong of [undefined, null, 12.5, -1, 'x', [], {}, { deep: [value] }]) {
          // Only the contract checks formats, such as that of a time; no decision depends on one.
          if (typeof wrong === 'string' && typeof value === 'string') continue;
          const changed = Array.isArray(answer) ? [wrong] : { ...(answer as object), [name]: wrong };
          const said = JSON.parse(JSON.stringify(changed)) as unknown;
          expect(own.safeParse(said).success, `${name}: ${JSON.stringify(wrong)}`).toBe(
            schema.safeParse(said).success,
          );
        }
      }
      if (!Array.isArray(answer))
        expect(own.parse({ ...(answer as object), more: 1 })).toEqual(schema.parse(answer));
    }
    const link = { ...examples(exportBundle)[0], sha256: 'A'.repeat(64) };
    expect(shape(responseSchema(exportBundle)).safeParse(link).success).toBe(false);
  });
});

describe('action.yml', () => {
  test('is sound metadata of an action for Node 24, whose script exists', () => {
    const validate = new Ajv({ strict: false }).compile(actionSchema);
    expect(validate(action), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...action, runs: { using: 'node24' } })).toBe(false);
    expect(validate({ ...action, inputs: { 'two words': { description: 'x' } } })).toBe(false);
  });

  test('names the inputs that the script reads and the outputs that it sets, each of them', () => {
    const config = read('deploy/github-action/src/config.ts');
    const names = [...config.matchAll(/\b(?:text|required|ownFile|lines|flag|seconds)\('([a-z-]+)'/g)].map(
      ([, name]) => name,
    );
    expect([...new Set(names)].sort()).toEqual(Object.keys(action.inputs).sort());
    const main = read('deploy/github-action/src/main.ts');
    for (const name of Object.keys(action.outputs)) expect(main).toMatch(new RegExp(`[\\s{]'?${name}'?: `));
  });

  test('has each input and output documented in docs/deploy/github-action.mdx', () => {
    const page = read('docs/deploy/github-action.mdx');
    const names = [...Object.keys(action.inputs), ...Object.keys(action.outputs)];
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('the template for GitLab', () => {
  const text = read('deploy/gitlab-ci/offprint.gitlab-ci.yml');
  const [header, jobs] = parseAllDocuments(text).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Record<string, Record<string, unknown>>;
  });

  test('is a header of inputs and one job, of words that GitLab knows', () => {
    const validate = new Ajv({ strict: false }).compile(gitlabSchema);
    expect(validate({ header, jobs }), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ header: { spec: { inputs: { a: { kind: 'x' } } } }, jobs })).toBe(false);
  });

  test('uses every input and no other, and keeps keys and tokens out of inputs', () => {
    const inputs = Object.keys(header!.spec!.inputs as object);
    const used = [...text.matchAll(/\$\[\[ inputs\.([a-z-]+) \]\]/g)].map(([, name]) => name);
    expect([...new Set(used)].sort()).toEqual([...inputs].sort());
    expect(inputs.filter((name) => /key|token|secret/.test(name))).toEqual([]);
    expect(text).not.toMatch(/\$OFFPRINT_(?:API_KEY|SITE_TOKEN)/);
  });

  test('hands what inputs say to the command as arguments, whatever it is, and options as words', async () => {
    const job = Object.values(jobs!)[0] as unknown as { script: string[]; variables: Record<string, string> };
    const inputs: Record<string, string> = {
      ...{ server: 'https://o.example.com', domain: 'docs.example.com', apply: 'site', label: '$(id) "q" *' },
      ...{ site: 'http://a:1 http://b:2', options: '--pin --path a', command: 'node say.mjs' },
      ...{ 'expires-in': '600', 'wait-seconds': '60' },
    };
    const fill = (value: string) =>
      value.replace(/\$\[\[ inputs\.([a-z-]+) \]\]/g, (_, name) => inputs[name] ?? '');
    const { mkdtempSync, rmSync } = await import('node:fs');
    const { spawnSync } = await import('node:child_process');
    const work = mkdtempSync(join(tmpdir(), 'offprint-gitlab-'));
    try {
      writeFileSync(join(work, 'say.mjs'), 'console.log(JSON.stringify(process.argv.slice(2)))');
      const env = Object.entries(job.variables).map(([name, value]) => [name, fill(value)]);
      const done = spawnSync('sh', ['-c', fill(job.script.join('\n'))], {
        cwd: work,
        encoding: 'utf8',
        env: {
          PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
          ...Object.fromEntries(env),
        },
      });
      expect(done.stderr).toBe('');
      expect(JSON.parse(done.stdout)).toEqual([
        ...['publish', '--domain', 'docs.example.com', '--timeout', '60', '--expires-in', '600'],
        ...['--result', 'offprint.json', '--label', '$(id) "q" *', '--apply', 'site'],
        ...['--site', 'http://a:1', '--site', 'http://b:2', '--pin', '--path', 'a'],
      ]);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  });
});

const why = hasOpenssl
  ? 'a step with the action'
  : 'a step with the action: no openssl to make a certificate for Git';

describe.skipIf(!hasOpenssl)(why, { timeout: 240_000 }, () => {
  let lab: Lab;
  let helm: HelmCluster;
  let site: Site;
  let steps = 0;
  /** The export of the first step, which later steps continue. */
  let job: string;

  interface Step {
    code: number | null;
    log: string;
    outputs: Record<string, string>;
    summary: string;
  }

  /** Runs the script as a runner does: inputs and files by the environment, defaults of action.yml filled in. */
  function start(
    inputs: Record<string, string>,
    env: Record<string, string> = {},
  ): { run: Running; end: Promise<Step> } {
    steps += 1;
    const [output, summary] = ['output', 'summary'].map((name) => join(lab.work, `${name}-${steps}`)) as [
      string,
      string,
    ];
    for (const file of [output, summary]) writeFileSync(file, '');
    const given: Record<string, string> = { server: lab.platform.url, key: lab.tenant.key, ...inputs };
    const filled = Object.entries(action.inputs).map(([name, input]) => [
      `INPUT_${name.toUpperCase()}`,
      given[name] ?? input.default ?? '',
    ]);
    const run = lab.run(actionScript, [], {
      ...Object.fromEntries(filled),
      ...{ GITHUB_ACTIONS: 'true', GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary },
      ...{ GITHUB_WORKSPACE: lab.work, RUNNER_TEMP: lab.work, GITHUB_TOKEN: 'ghs_not_for_helm' },
      ...env,
    });
    const end = run.then(({ code, out, err }) => ({
      code,
      log: out + err,
      outputs: readOutputs(readFileSync(output, 'utf8')),
      summary: readFileSync(summary, 'utf8'),
    }));
    return { run, end };
  }
  const step = (inputs: Record<string, string>, env: Record<string, string> = {}) => start(inputs, env).end;

  beforeAll(async () => {
    lab = await startLab();
    if (whyNoHelm === null) helm = await startHelmCluster(join(lab.work, 'cluster'));
  }, 240_000);
  afterAll(async () => {
    const said = lab?.said() ?? '';
    helm?.stop();
    await lab?.stop();
    const shown = said.replace(/^::add-mask::.*$/gm, '');
    expect(shown).not.toContain(lab.tenant.key);
    expect(shown).not.toContain(TOKEN);
    expect(shown).not.toContain('signature=');
  });

  test('masks key and link first, sets every output, reports warnings at their position and writes a summary without the link', async () => {
    const links = Array.from({ length: 14 }, (_, at) => `[a](/no${at}%0A::error::x|<img>)`).join('\n\n');
    await lab.commit(links);
    const { code, log, outputs, summary } = await step({
      domain: lab.domain,
      folder: './docs/',
      'expires-in': '600',
    });
    expect(code, log).toBe(0);
    expect(log.startsWith(`::add-mask::${lab.tenant.key}\n`)).toBe(true);
    expect(Object.keys(outputs).sort()).toEqual(Object.keys(action.outputs).sort());
    expect(outputs).toMatchObject({
      'job-id': expect.stringMatching(/^se_[0-9a-f]{32}$/),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      'page-count': '2',
      changed: 'false',
    });
    job = outputs['job-id']!;
    const link = outputs['bundle-url']!;
    expect((await fetch(link)).status).toBe(200);
    expect(log.indexOf(`::add-mask::${link}\n`)).toBeGreaterThan(0);
    expect(log.replace(/^::add-mask::.*$/gm, '')).not.toContain(new URL(link).pathname);
    const left = Date.parse(outputs['expires-at']!) - Date.now();
    expect(left).toBeLessThan(601_000);

    const annotations = log.split('\n').filter((line) => line.startsWith('::warning'));
    expect(annotations).toHaveLength(10);
    expect(annotations[0]).toMatch(/^::warning file=docs\/index\.mdx,line=5,title=[a-z-]+::./);
    expect(annotations.at(-1)).toBe(
      `::warning title=Offprint::and ${Number(outputs.warnings) - 9} more warnings`,
    );
    expect(log.split('\n').filter((line) => /^\s*::(?!warning |add-mask::)/.test(line))).toEqual([]);

    expect(summary).toContain('### Docs exported\n');
    expect(summary).toContain(outputs.sha256);
    expect(summary).not.toMatch(/signature|blobs|<img|\|<|add-mask/);
  });

  test('applies to a values file of the workspace, and says when nothing had to change', async () => {
    const inputs = { job, apply: 'file', 'values-file': 'values.yaml', pin: 'true' };
    const first = await step(inputs);
    expect(first.code, first.log).toBe(0);
    expect(first.outputs.changed).toBe('true');
    expect(first.summary).toContain('### Docs published\n');
    const { staticExport } = parse(readFileSync(join(lab.work, 'values.yaml'), 'utf8')) as {
      staticExport: Record<string, unknown>;
    };
    const { sha256, version } = first.outputs;
    expect(staticExport).toEqual({ enabled: true, bundleUrl: first.outputs['bundle-url'], sha256, version });
    const second = await step(inputs);
    expect(second.outputs).toMatchObject({ changed: 'false', sha256 });
    expect(second.summary).toContain('already had this bundle');
  });

  const withoutHelm = whyNoHelm === null ? '' : ` (not: ${whyNoHelm})`;
  test.skipIf(whyNoHelm !== null)(
    `applies by Helm, which sees neither inputs nor tokens of the runner${withoutHelm}`,
    async () => {
      const values = { staticExport: { enabled: true, bundleUrl: 'https://files.example.com/a' } };
      await helm.install('docs', values);
      const inputs = { job, apply: 'helm', 'helm-release': 'docs', 'helm-namespace': 'web' };
      const done = await step({ ...inputs, 'helm-wait': 'true' }, helm.env);
      expect(done.code, done.log).toBe(0);
      expect(done.outputs.changed).toBe('true');
      const upgrade = helm.calls().at(-2)!;
      // Without a chart of its own: the one beside the action.
      expect(upgrade.args[2]).toBe(chartFolder);
      expect(upgrade.args).toContain('--wait');
      expect(JSON.parse(upgrade.input)).toMatchObject({ staticExport: { sha256: done.outputs.sha256 } });
      expect(JSON.stringify(upgrade.env)).not.toMatch(/INPUT_|GITHUB_|ghs_/);
      await helm.install('docs', values);
      helm.fail('UPGRADE FAILED: ::error::no\n##[error]room');
      const failed = await step(inputs, helm.env);
      expect(failed.code).toBe(4);
      expect(failed.log).toMatch(
        /^::error title=Offprint::Exported, but not applied: helm upgrade docs exited with 1/m,
      );
      expect(failed.log).toContain('this step with the input job: se_');
      expect(
        failed.log
          .split('\n')
          .filter((line) => /^\s*::error::|##\[/.test(line.replace(/^::error title.*/, ''))),
      ).toEqual([]);
      expect(failed.outputs).toMatchObject({ 'job-id': job, sha256: done.outputs.sha256 });
      expect(failed.outputs.changed).toBeUndefined();
      expect(failed.summary).toContain('### Docs exported, but not applied');
      expect(failed.summary).toContain('helm upgrade docs exited with 1');
      expect(failed.summary).toContain(`input job&#58; ${job.replace('_', '&#95;')}`);
      expect(failed.summary).not.toMatch(/signature|^::|##\[/m);
    },
  );

  test('what changed in Git is live after one step', async () => {
    const made = await step({ job, output: 'site.tar.gz' });
    expect(made.code, made.log).toBe(0);
    expect(existsSync(join(lab.work, 'site.tar.gz'))).toBe(true);
    site = await lab.startSite({ OFFPRINT_SITE_BUNDLE: join(lab.work, 'site.tar.gz') });
    await lab.commit('The text of the next step.');
    const inputs = { domain: lab.domain, apply: 'site', site: `${site.management}\n`, 'site-token': TOKEN };
    const done = await step(inputs);
    expect(done.code, done.log).toBe(0);
    expect(done.outputs.changed).toBe('true');
    expect(await (await fetch(`${site.url}/`)).text()).toContain('The text of the next step.');
  });

  test('an export that fails ends the step with 1 and an annotation, wrong inputs with 2', async () => {
    await lab.breakDocs();
    symlinkSync(tmpdir(), join(lab.work, 'away'));
    const failed = await step({ domain: lab.domain });
    expect(failed).toMatchObject({ code: 1, outputs: { 'job-id': expect.stringMatching(/^se_/) } });
    expect(failed.summary).toContain('### Docs not published');
    expect(failed.summary).toMatch(/^> Export se&#95;\w+ failed&#58; .*docs/m);
    expect(failed.summary).toContain(`| Export | ${failed.outputs['job-id']!.replace('_', '&#95;')} |`);
    expect(failed.log).toMatch(/^::error title=Offprint::Export se_\w+ failed: .*docs\.json/m);
    for (const [inputs, message] of [
      [{}, 'domain: set either this input or job'],
      [{ domain: lab.domain, apply: 'file' }, 'values-file: this input is required'],
      [
        { domain: lab.domain, apply: 'site', site: 'http://127.0.0.1:9' },
        'site-token: this input is required',
      ],
      [
        { domain: lab.domain, apply: 'everywhere' },
        'apply: "everywhere" is not valid. Use one of: none, file, helm, site',
      ],
      [
        { domain: lab.domain, apply: 'file', 'values-file': '../values.yaml' },
        'values-file: "../values.yaml" is outside of the workspace',
      ],
      [
        { domain: lab.domain, apply: 'file', 'values-file': 'away/values.yaml' },
        'values-file: "away/values.yaml" is outside of the workspace',
      ],
      [{ domain: lab.domain, pin: 'yes' }, 'pin: "yes" is not valid. Use true or false'],
      [
        { domain: lab.domain, timeout: 'soon' },
        'timeout: "soon" is not valid. Use a number of seconds greater than 0',
      ],
      [{ domain: lab.domain, key: `offprint_${'a'.repeat(38)}` }, 'API key'],
    ] as const) {
      const wrong = await step(inputs);
      expect({ code: wrong.code, log: wrong.log }).toMatchObject({
        code: 2,
        log: expect.stringContaining(message),
      });
      expect(wrong.outputs).toEqual({});
      expect(wrong.summary).toContain('### Docs not published');
    }
  });

  test('a step that exceeds its timeout exits with 3, and names the export in output and summary', async () => {
    lab.worker.kill('SIGSTOP');
    try {
      // The start of the export is within the limit, too.
      const late = await step({ domain: lab.domain, timeout: '10' });
      expect(late.code).toBe(3);
      expect(Object.keys(late.outputs)).toEqual(['job-id']);
      expect(late.log).toContain(`this step with the input job: ${late.outputs['job-id']}`);
      expect(late.summary).toContain('### Docs not published');
      expect(late.summary).toContain(late.outputs['job-id']!.replace('_', '&#95;'));
    } finally {
      lab.worker.kill('SIGCONT');
    }
  });

  test('a cancelled step stops waiting, and reports that the export continues', async () => {
    lab.worker.kill('SIGSTOP');
    try {
      await lab.commit('Whole again.');
      const { run, end } = start({ domain: lab.domain });
      let log = '';
      await new Promise<void>((resolve) => {
        run.child.stdout?.on('data', (text: string) => {
          log += text;
          if (/^Export se_/m.test(log)) resolve();
        });
      });
      run.child.kill('SIGINT');
      const ended = await end;
      expect(ended.code).toBe(130);
      expect(ended.log).toMatch(/::error title=Offprint::Interrupted\. The export continues on the server/);
    } finally {
      lab.worker.kill('SIGCONT');
    }
  });
});

/** Outputs as the runner reads them: a name and a delimiter, lines, the delimiter. */
function readOutputs(text: string): Record<string, string> {
  const outputs: Record<string, string> = {};
  const lines = text.split('\n');
  for (let at = 0; at < lines.length - 1; at++) {
    const [, name, delimiter] = /^([^<]+)<<(.+)$/.exec(lines[at]!) ?? [];
    if (name === undefined || delimiter === undefined) throw new Error(`not an output: ${lines[at]}`);
    const end = lines.indexOf(delimiter, at + 1);
    outputs[name] = lines.slice(at + 1, end).join('\n');
    at = end;
  }
  return outputs;
}
