/** The GitHub Action: the loop of `offprint publish` with inputs, outputs and annotations of a runner. */
import { createClient } from '@offprint/client';
import { CliError } from '../../../apps/cli/src/errors.ts';
import { fileTarget } from '../../../apps/cli/src/publish/file.ts';
import { helmEnvironment, helmTarget } from '../../../apps/cli/src/publish/helm.ts';
import { type Exported, publish } from '../../../apps/cli/src/publish/loop.ts';
import { siteTarget } from '../../../apps/cli/src/publish/site.ts';
import { secretsOf, type Target } from '../../../apps/cli/src/publish/target.ts';
import { type Inputs, readInputs, readSecrets, runnerFiles, wholeEnvironment } from './config.ts';
import { annotateError, annotateWarnings, createTalk, mask, setOutputs, writeSummary } from './runner.ts';

await main();

async function main(): Promise<void> {
  for (const secret of readSecrets()) mask(secret);
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort());
  process.once('SIGTERM', () => interrupt.abort());
  try {
    await run(interrupt.signal);
  } catch (error) {
    const known = error instanceof CliError;
    annotateError(
      known ? error.message : `unexpected fault, please report it: ${(error as Error)?.stack ?? error}`,
    );
    process.exitCode = known ? error.exitCode : 1;
  }
}

async function run(interrupt: AbortSignal): Promise<void> {
  const inputs = readInputs();
  const files = runnerFiles();
  const target = targetOf(inputs);
  const talk = createTalk();
  let exported: Exported | null = null;
  try {
    const { applied } = await publish(createClient({ url: inputs.server, key: inputs.key }), {
      order: orderOf(inputs),
      timeout: inputs.timeout,
      expiresIn: inputs.expiresIn,
      output: inputs.output,
      target,
      talk,
      interrupt,
      goOn: (jobId) => `this step with the input job: ${jobId}`,
      onLink(found) {
        for (const secret of secretsOf(found.bundle.bundleUrl)) mask(secret);
        exported = found;
        setOutputs(files.output, outputsOf(found));
        annotateWarnings(found.warnings, inputs.folder);
        talk.say(`${found.job.pageCount} pages, sha256 ${found.bundle.sha256}`);
      },
    });
    setOutputs(files.output, { changed: String(applied.some(({ changed }) => changed)) });
    for (const { place, changed } of applied)
      talk.say(`${place}: ${changed ? 'has this bundle now' : 'had this bundle already, left as it is'}`);
    if (exported !== null) writeSummary(files.summary, exported, applied);
  } catch (error) {
    if (exported !== null) writeSummary(files.summary, exported, null);
    throw error;
  }
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
  if (domain === undefined || job !== undefined) throw new CliError(2, 'domain: name either this or job');
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
  switch (inputs.apply) {
    case 'file':
      return fileTarget(needed('values-file', inputs.valuesFile), rules);
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
        rules,
      );
    case 'site': {
      needed('site', inputs.sites[0]);
      const token = needed('site-token', inputs.siteToken);
      return siteTarget({ sites: inputs.sites, token, timeout: inputs.applyTimeout }, rules);
    }
    default:
      return null;
  }
}

function needed(name: string, value: string | undefined): string {
  if (value === undefined) throw new CliError(2, `${name}: this input is needed for this way to apply`);
  return value;
}

function outputsOf({ job, bundle, warnings }: Exported): Record<string, string> {
  return {
    'job-id': job.jobId,
    'bundle-url': bundle.bundleUrl,
    'expires-at': bundle.expiresAt,
    sha256: bundle.sha256,
    version: bundle.version,
    'page-count': String(job.pageCount),
    warnings: String(warnings.length),
    changed: 'false',
  };
}
