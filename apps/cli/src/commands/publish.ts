import { existsSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { counted } from '@offprint/contract/counted';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CHART, clientSettings, siteToken, wholeEnvironment } from '../config.ts';
import { CliError, missingFolder } from '../errors.ts';
import { createTalk, formatBytes, printJson, sayWarnings, type Talk } from '../output.ts';
import { onInterruption } from '../process/interruption.ts';
import type { Published } from '../publish/loop.ts';
import { appliedText, namesIn, type Target } from '../publish/target.ts';
import { checkOutput, STANDARD_OUTPUT } from './output-file.ts';
import { collect, parseSeconds, parseWarnings } from './shared.ts';

const PLACES = ['none', 'file', 'helm', 'site'] as const;

interface PublishOptions {
  domain?: string;
  job?: string;
  apply?: (typeof PLACES)[number];
  output?: string;
  result?: string;
  server?: string;
  label?: string;
  ref?: string;
  path?: string[];
  unlisted: boolean;
  pin?: boolean;
  reapply?: boolean;
  valuesKey?: string;
  release?: string;
  namespace?: string;
  chart?: string;
  chartVersion?: string;
  helm: string;
  helmEnv?: string[];
  atomic?: boolean;
  wait?: boolean;
  site?: string[];
  ignoreUnreachable?: boolean;
  expiresIn?: number;
  timeout: number;
  applyTimeout: number;
  idempotencyKey?: string;
  warnings: number;
  json?: boolean;
}

export function addPublishCommand(program: Command): void {
  program
    .command('publish')
    .description('export a domain on a server, wait for it, and download or deploy the bundle')
    .argument('[values]', 'values file, with --apply file')
    .option('-d, --domain <domain>', 'domain of the site')
    .option('--job <id>', 'resume an export that was started earlier, instead of starting a new one')
    .addOption(
      new Option('--apply <place>', 'deploy the bundle; without it, the bundle is downloaded').choices(
        PLACES,
      ),
    )
    .option(
      '-o, --output <file>',
      'bundle to write: .tar.gz or .tgz; default without --apply: <domain>.tar.gz',
    )
    .option('--result <file>', 'also write the result to this file as JSON, without the link')
    .option('--server <url>', 'URL of the server; default: OFFPRINT_URL')
    .option('--label <version>', 'version label; default: derived from the commit')
    .option('--ref <ref>', 'branch, tag or commit to export; default: the published branch')
    .option('--path <page>', 'export only this page; can be repeated', collect)
    .option('--no-unlisted', 'exclude pages that are not in the navigation')
    .option('--pin', 'set the version in the deployment, which then rejects bundles of other versions')
    .option('--reapply', 'apply a bundle that is already deployed, to renew its link')
    .option('--values-key <key>', 'file, helm: key of the subchart in the values of an umbrella chart')
    .option('--release <name>', 'helm: name of the release')
    .option('--namespace <name>', 'helm: namespace of the release')
    .option(
      '--chart <chart>',
      'helm: folder, archive or reference of the chart; default: the chart of this installation',
    )
    .option('--chart-version <version>', 'helm: version of the chart')
    .option('--helm <program>', 'helm: Helm program to run', 'helm')
    .option('--helm-env <name>', 'helm: additional environment variable for Helm; can be repeated', collect)
    .option('--wait', 'helm: wait until the release is ready, then run its tests')
    .option('--atomic', 'helm: roll back the release if it does not become ready or fails its tests')
    .option('--site <url>', 'site: URL of a management port; repeat it for every replica', collect)
    .option('--ignore-unreachable', 'site: continue without unreachable sites if at least one is reachable')
    .option('--expires-in <seconds>', 'validity of the link, 60 to 604800; default 3600', parseExpiry)
    .option('--timeout <seconds>', 'time limit for the export', parseSeconds, 3600)
    .option('--apply-timeout <seconds>', 'time limit for Helm or a site', parseSeconds, 300)
    .option(
      '--idempotency-key <key>',
      'the same key returns the same export, so that a retry starts no second one',
    )
    .option('--warnings <count>', 'how many warnings to show, or `all`', parseWarnings, 20)
    .option('--json', 'print the result as one line of JSON')
    .addHelpText(
      'after',
      `
The API key is read from OFFPRINT_API_KEY, or from the file named by OFFPRINT_API_KEY_FILE; the token of a site from
OFFPRINT_SITE_TOKEN or OFFPRINT_SITE_TOKEN_FILE.

The file of -o exists only when the whole bundle is downloaded and its digest verified. Therefore \`-o -\` is rejected.

Places:
  none          print the link without downloading the bundle
  file VALUES   write staticExport.bundleUrl and sha256 to a values file, YAML or JSON
  helm          upgrade --release in --namespace with the installed Helm; with --wait, also run its tests
  site          send the link to the site servers at --site and wait until they serve the bundle

Exit codes: 0 success, 1 the export failed, 2 wrong usage, key or rights, 3 timed out, 4 exported but not applied,
130 interrupted.

Examples:
  $ offprint publish --domain docs.example.com
  $ offprint publish --domain docs.example.com --ref v2.1 --label 2.1 -o site.tar.gz --json
  $ offprint publish --domain docs.example.com --apply file values.yaml --pin
  $ offprint publish --domain docs.example.com --apply helm --release docs --namespace web --wait
  $ offprint publish --domain docs.example.com --apply site --site http://10.0.0.7:8081 --site http://10.0.0.8:8081
  $ offprint publish --job se_3f9a2c1b8e7d4a063f9a2c1b8e7d4a06 --apply site --site http://10.0.0.7:8081`,
    )
    .action(run);
}

async function run(values: string | undefined, options: PublishOptions): Promise<void> {
  if ((options.domain === undefined) === (options.job === undefined))
    throw new CliError(2, 'Use either --domain to export a domain, or --job to resume an export.');
  const target = await targetOf(values, options);
  const output = outputOf(options);
  if (options.result !== undefined) inFolder(options.result);
  const [{ createClient }, { publish }] = await Promise.all([
    import('@offprint/client'),
    import('../publish/loop.ts'),
  ]);
  const client = createClient(clientSettings(options.server));
  const talk = createTalk({ quiet: options.json === true });
  const interrupt = new AbortController();
  const release = onInterruption(() => interrupt.abort());
  try {
    const published = await publish(client, {
      order:
        options.job === undefined
          ? {
              domain: options.domain!,
              version: options.label,
              ref: options.ref,
              paths: options.path,
              includeUnlisted: options.unlisted,
              idempotencyKey: options.idempotencyKey,
            }
          : { jobId: options.job },
      timeout: options.timeout,
      expiresIn: options.expiresIn,
      output,
      target,
      talk,
      interrupt: interrupt.signal,
      resumeHint: (jobId) => `the same command with --job ${jobId}`,
      onLink: ({ warnings }) => sayWarnings(talk, warnings, options.warnings),
    });
    report(published, output, options, talk);
  } finally {
    release();
  }
}

/** Null: the bundle is not deployed. */
async function targetOf(values: string | undefined, options: PublishOptions): Promise<Target | null> {
  const { apply } = options;
  if (options.valuesKey !== undefined && apply !== 'file' && apply !== 'helm')
    throw new CliError(2, '--values-key requires --apply file or --apply helm.');
  const rules = { pin: options.pin === true, reapply: options.reapply === true };
  if (apply !== 'file' && values !== undefined)
    throw new CliError(2, `Unexpected argument: ${values}. A values file requires --apply file.`);
  switch (apply) {
    case 'file': {
      if (values === undefined)
        throw new CliError(2, 'Missing values file. Name it after the option: --apply file values.yaml');
      const { fileTarget } = await import('../publish/file.ts');
      return fileTarget(values, { ...rules, below: namesIn(options.valuesKey) });
    }
    case 'helm': {
      const { release, namespace } = options;
      if (release === undefined || namespace === undefined)
        throw new CliError(2, '--apply helm requires --release and --namespace.');
      const [{ helmTarget }, { helmEnvironment }] = await Promise.all([
        import('../publish/helm.ts'),
        import('../publish/helm-program.ts'),
      ]);
      return helmTarget(
        {
          release,
          namespace,
          chart: options.chart ?? CHART,
          chartVersion: options.chartVersion,
          helm: options.helm,
          atomic: options.atomic === true,
          wait: options.wait === true,
          timeout: options.applyTimeout,
          environment: helmEnvironment(wholeEnvironment(), options.helmEnv ?? []),
        },
        { ...rules, below: namesIn(options.valuesKey) },
      );
    }
    case 'site': {
      if (options.site === undefined)
        throw new CliError(2, '--apply site requires --site with the URL of a management port.');
      const { siteTarget } = await import('../publish/site.ts');
      return siteTarget(
        {
          sites: options.site,
          token: siteToken(),
          timeout: options.applyTimeout,
          ignoreUnreachable: options.ignoreUnreachable === true,
        },
        rules,
      );
    }
    default:
      return null;
  }
}

/** Undefined: the bundle is not downloaded. Throws a CliError 2 if it cannot be written there. */
function outputOf({ output, apply, domain, job }: PublishOptions): string | undefined {
  if (output === undefined && apply !== undefined) return undefined;
  const name = output ?? `${domain ?? job}.tar.gz`;
  if (name === STANDARD_OUTPUT)
    throw new CliError(
      2,
      'publish verifies the whole bundle before its file exists, so it does not write to standard output. Name a file with -o, such as site.tar.gz.',
    );
  checkOutput(name, false);
  return resolve(name);
}

/** The absolute path of a file to write. Throws a CliError 2 when its folder is missing. */
function inFolder(name: string): string {
  const file = resolve(name);
  if (!existsSync(dirname(file))) throw missingFolder(dirname(name));
  return file;
}

function report(published: Published, output: string | undefined, options: PublishOptions, talk: Talk): void {
  const { job, bundle, warnings, applied } = published;
  const about = `${counted(job.pageCount, 'page')}, ${formatBytes(bundle.sizeBytes)}, sha256 ${bundle.sha256}`;
  talk.say(output === undefined ? about : `${about}: ${output}`);
  for (const one of applied)
    talk.say(`${one.place}: ${one.changed ? `has version ${bundle.version}` : appliedText(one)}`);
  const result = {
    jobId: job.jobId,
    ...(output === undefined ? {} : { file: output }),
    version: bundle.version,
    commit: job.commit,
    pageCount: job.pageCount,
    sha256: bundle.sha256,
    sizeBytes: bundle.sizeBytes,
    ...(options.apply === undefined ? {} : { expiresAt: bundle.expiresAt, applied }),
    warnings,
  };
  if (options.result !== undefined) writeFileSync(options.result, `${JSON.stringify(result)}\n`);
  // The link is a secret: it is printed only on request.
  const isLinkWanted = options.apply === 'none';
  if (options.json) {
    printJson(isLinkWanted ? { bundleUrl: bundle.bundleUrl, ...result } : result);
  } else if (isLinkWanted) {
    talk.say(`The link is valid until ${bundle.expiresAt}`);
    process.stdout.write(`${bundle.bundleUrl}\n`);
  }
}

function parseExpiry(text: string): number {
  const seconds = Number(text);
  if (!Number.isInteger(seconds) || seconds < 60 || seconds > 604_800)
    throw new InvalidArgumentError('Use a number of seconds from 60 to 604800.');
  return seconds;
}
