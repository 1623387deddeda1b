/** Runs the installed Helm. */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { CliError } from '../errors.ts';
import { printable } from '../printable.ts';
import { ApplyError } from './target.ts';

export interface HelmProgram {
  /** Path or name of the program. */
  helm: string;
  /** The complete environment of Helm. */
  environment: Readonly<Record<string, string>>;
}

/** Maximum lines of standard error in an error message, and maximum characters of output to read. */
const MAX_ERROR_LINES = 20;
const MAX_OUTPUT_LENGTH = 16 * 1024 * 1024;

/** Variables that Helm and its cluster authentication plugins need. Secrets for other programs are not passed. */
const PASSED =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|TERM|NO_COLOR|KUBECONFIG|KUBERNETES_SERVICE_\w+|HELM_\w+|XDG_\w+|SSL_CERT_(?:FILE|DIR)|(?:https?|no|all)_proxy|SystemRoot|USERPROFILE|APPDATA|LOCALAPPDATA|PATHEXT|ComSpec|(?:AWS|AZURE|AAD|CLOUDSDK|GOOGLE|OCI)_\w+)$/i;

/** The environment for Helm: the variables that it needs, and those that are named in addition. */
export function helmEnvironment(
  whole: Readonly<Record<string, string | undefined>>,
  named: readonly string[],
): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(whole)) {
    if (value !== undefined && (PASSED.test(name) || named.includes(name))) passed[name] = value;
  }
  return passed;
}

/** Throws a CliError 2. */
export async function checkProgram({ helm, environment }: HelmProgram): Promise<void> {
  const folders = (environment.PATH ?? environment.Path ?? '').split(delimiter).filter((one) => one !== '');
  const files = /[\\/]/.test(helm)
    ? [helm]
    : folders.flatMap((one) => [join(one, helm), join(one, `${helm}.exe`)]);
  for (const file of files) if (await isProgram(file)) return;
  throw new CliError(
    2,
    `Helm not found: ${helm}. Install Helm 3 or 4, or set its path. Without Helm, apply the bundle to a values file. Nothing was exported`,
  );
}

function isProgram(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Runs Helm and returns its standard output. Rejects with an ApplyError. */
export async function readHelm(
  program: HelmProgram,
  args: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  let text = '';
  const onOutput = (part: string) => {
    text += part;
    if (text.length > MAX_OUTPUT_LENGTH)
      throw new ApplyError(
        `The output of helm ${args[0]} is too large (more than ${MAX_OUTPUT_LENGTH / 1024 / 1024} MiB)`,
      );
  };
  await spawnHelm(program, args, '', { signal, onOutput, onLine: () => {}, mask: String });
  return text;
}

/** Runs Helm and passes each line of its output to `say`, without secrets. Rejects with an ApplyError. */
export async function runHelm(
  program: HelmProgram,
  args: readonly string[],
  { input = '', signal, say, mask }: RunOptions,
): Promise<void> {
  const sayLine = (line: string) => say(`helm: ${printable(mask(line))}`);
  const output = lineReader(sayLine);
  await spawnHelm(program, args, input, { signal, onOutput: output.add, onLine: sayLine, mask });
  output.end();
}

interface RunOptions {
  /** Standard input; none by default. */
  input?: string;
  signal: AbortSignal;
  say: (line: string) => void;
  mask: (text: string) => string;
}

interface Reading {
  signal: AbortSignal;
  onOutput: (text: string) => void;
  /** A line of standard error. */
  onLine: (line: string) => void;
  mask: (text: string) => string;
}

/** Runs Helm. Rejects with an ApplyError that contains the exit code and the last lines of standard error. */
function spawnHelm(
  program: HelmProgram,
  args: readonly string[],
  input: string,
  reading: Reading,
): Promise<void> {
  const { helm, environment } = program;
  const command = `helm ${args.slice(0, args[0] === 'get' ? 3 : 2).join(' ')}`;
  return new Promise((resolve, reject) => {
    const lastLines: string[] = [];
    const child: ChildProcess = spawn(helm, args, { env: environment, stdio: ['pipe', 'pipe', 'pipe'] });
    const errors = lineReader((line) => {
      lastLines.push(line);
      if (lastLines.length > MAX_ERROR_LINES) lastLines.shift();
      reading.onLine(line);
    });
    let readError: unknown = null;
    // On SIGTERM, Helm stops the operation and, with --atomic, rolls it back.
    const stop = () => child.kill('SIGTERM');
    reading.signal.addEventListener('abort', stop, { once: true });
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      try {
        reading.onOutput(text);
      } catch (error) {
        readError ??= error;
        stop();
      }
    });
    child.stderr?.setEncoding('utf8').on('data', errors.add);
    // If Helm exits before it reads its input, its own error message explains why.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
    child.on('error', (error) => reject(new ApplyError(`Cannot start ${helm}: ${error.message}`)));
    child.on('close', (code, signal) => {
      reading.signal.removeEventListener('abort', stop);
      errors.end();
      if (readError !== null) return reject(readError);
      if (code === 0) return resolve();
      const how = code === null ? `was terminated by ${signal}` : `exited with ${code}`;
      const details = lastLines.map((line) => printable(reading.mask(line))).join('\n    ');
      reject(new ApplyError(`${command} ${how}${details === '' ? '' : `:\n    ${details}`}`));
    });
  });
}

/** Splits a stream of text into lines. */
function lineReader(onLine: (line: string) => void): { add(text: string): void; end(): void } {
  let rest = '';
  return {
    add(text) {
      const lines = (rest + text).split(/\r?\n/);
      rest = lines.pop() ?? '';
      for (const line of lines) onLine(line);
    },
    end() {
      if (rest !== '') onLine(rest);
      rest = '';
    },
  };
}
