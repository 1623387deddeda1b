/** The GitHub Action: runs the loop of `offprint publish` with inputs, outputs and annotations of a runner. */
import { createClient } from '@offprint/client';
import { CliError } from '../../../apps/cli/src/errors.ts';
import { fileTarget } from '../../../apps/cli/src/publish/file.ts';
import { helmTarget } from '../../../apps/cli/src/publish/helm.ts';
import { helmEnvironment } from '../../../apps/cli/src/publish/helm-program.ts';
import { type Exported, publish } from '../../../apps/cli/src/publish/loop.ts';
import { siteTarget } from '../../../apps/cli/src/publish/site.ts';
import {
  type Applied,
  appliedText,
  createMask,
  namesIn,
  secretsOf,
  type Target,
} from '../../../apps/cli/src/publish/target.ts';
import {
  type Inputs,
  type RunnerFiles,
  readInputs,
  readSecrets,
  runnerFiles,
  wholeEnvironment,
} from './config.ts';
import { annotateError, annotateWarnings, createTalk, mask, setOutputs, writeSummary } from './runner.ts';

await main();

async function main(): Promise<void> {
  const secrets = readSecrets();
  for (const secret of secrets) mask(secret);
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort());
  process.once('SIGTERM', () => interrupt.abort());
  const files = runnerFiles();
  const step: Step = { jobId: null, exported: null };
  try {
    const inputs = readInputs();
    const applied = await run(inputs, files, step, interrupt.signal);
    const title = inputs.apply === 'none' ? 'Docs exported' : 'Docs published';
    writeSummary(files.summary, { title, ...step, applied, reason: null });
  } catch (error) {
    const known = error instanceof CliError;
    annotateError(
      known ? error.message : `unexpected error, please report it: ${(error as Error)?.stack ?? error}`,
    );
    process.exitCode = known ? error.exitCode : 1;
    // The runner masks secrets in logs, but not in summaries.
    const hide = createMask([
      ...secrets,
      ...(step.exported ? secretsOf(step.exported.bundle.bundleUrl) : []),
    ]);
    writeSummary(files.summary, {
      title: step.exported === null ? 'Docs not published' : 'Docs exported, but not applied',
      ...step,
      applied: [],
      reason: known ? hide(error.message) : 'Unexpected error. See the log.',
    });
  }
}

/** Progress of the step. */
interface Step {
  jobId: string | null;
  exported: Exported | null;
}

async function run(
  inputs: Inputs,
  files: RunnerFiles,
  step: Step,
  interrupt: AbortSignal,
): Promise<Applied[]> {
  const target = targetOf(inputs);
  const talk = createTalk();
  const { applied } = await publish(createClient({ url: inputs.server, key: inputs.key }), {
    order: orderOf(inputs),
    timeout: inputs.timeout,
    expiresIn: inputs.expiresIn,
    output: inputs.output,
    target,
    talk,
    interrupt,
    resumeHint: (jobId) => `this step with the input job: ${jobId}`,
    onStart(jobId) {
      step.jobId = jobId;
      setOutputs(files.output, { 'job-id': jobId });
    },
    onLink(found) {
      for (const secret of secretsOf(found.bundle.bundleUrl)) mask(secret);
      step.exported = found;
      setOutputs(files.output, outputsOf(found));
      annotateWarnings(found.warnings, inputs.folder);
      talk.say(`${found.job.pageCount} pages, sha256 ${found.bundle.sha256}`);
    },
  });
  setOutputs(files.output, { changed: String(applied.some(({ changed }) => changed)) });
  for (const one of applied) talk.say(`${one.place}: ${appliedText(one)}`);
  return applied;
}

function orderOf({
  domain,
  job,
  label,
  ref,
  paths,
  unlisted,
}: Inputs): Parameters<typeof publish>[1]['order'] {
  if (job !== undefined && domain === undefined) return { jobId: job };
  if (domain === undefined || job !== undefined)
    throw new CliError(2, 'domain: set either this input or job');
  return {
    domain,
    version: label,
    ref,
    paths: paths.length === 0 ? undefined : paths,
    includeUnlisted: unlisted,
  };
}

function targetOf(inputs: Inputs): Target | null {
  const rules = { pin: inputs.pin, reapply: inputs.reapply };
  const { helm } = inputs;
  const valuesRules = { ...rules, below: namesIn(inputs.valuesKey) };
  switch (inputs.apply) {
    case 'file':
      return fileTarget(needed('values-file', inputs.valuesFile), valuesRules);
    case 'helm':
      return helmTarget(
        {
          release: needed('helm-release', helm.release),
          namespace: needed('helm-namespace', helm.namespace),
          chart: helm.chart,
          chartVersion: helm.chartVersion,
          helm: helm.program,
          wait: helm.wait,
          atomic: helm.atomic,
          timeout: inputs.applyTimeout,
          environment: helmEnvironment(wholeEnvironment(), helm.environment),
        },
        valuesRules,
      );
    case 'site': {
      needed('site', inputs.sites[0]);
      const token = needed('site-token', inputs.siteToken);
      const { sites, applyTimeout: timeout, ignoreUnreachable } = inputs;
      return siteTarget({ sites, token, timeout, ignoreUnreachable }, rules);
    }
    default:
      return null;
  }
}

function needed(name: string, value: string | undefined): string {
  if (value === undefined) throw new CliError(2, `${name}: this input is required for this value of apply`);
  return value;
}

function outputsOf({ job, bundle, warnings }: Exported): Record<string, string> {
  return {
    'bundle-url': bundle.bundleUrl,
    'expires-at': bundle.expiresAt,
    sha256: bundle.sha256,
    version: bundle.version,
    'page-count': String(job.pageCount),
    warnings: String(warnings.length),
  };
}
