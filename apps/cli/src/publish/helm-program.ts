/** The Helm that is installed, as a program that is run. */
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
  /** All that Helm finds in its environment. */
  environment: Readonly<Record<string, string>>;
}

/** Lines of what Helm says that are kept for the message of a failure, and bytes of an answer that are read. */
const KEPT_LINES = 20;
const MOST_BYTES = 16 * 1024 * 1024;

/** What Helm and the programs that sign in to clusters for it need, and nothing that is meant for others. */
const PASSED =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|TERM|NO_COLOR|KUBECONFIG|KUBERNETES_SERVICE_\w+|HELM_\w+|XDG_\w+|SSL_CERT_(?:FILE|DIR)|(?:https?|no|all)_proxy|SystemRoot|USERPROFILE|APPDATA|LOCALAPPDATA|PATHEXT|ComSpec|(?:AWS|AZURE|AAD|CLOUDSDK|GOOGLE|OCI)_\w+)$/i;

/** The part of an environment that Helm gets: what it needs, and what is named besides. */
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
    `no program ${helm}: install Helm 3 or 4, or name it with its path. Without it, apply to a values file and hand that to whoever runs Helm. Nothing was exported`,
  );
}

function isProgram(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** What Helm writes to standard output. Rejects with an ApplyError. */
export async function answerOf(
  program: HelmProgram,
  args: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  let text = '';
  const onOutput = (part: string) => {
    text += part;
    if (text.length > MOST_BYTES) throw new ApplyError(`helm ${args[0]} answers more than can be read`);
  };
  await run(program, args, '', { signal, onOutput, onLine: () => {}, mask: String });
  return text;
}

/** Runs Helm to its end, each line of what it says told by `say` without secrets. Rejects with an ApplyError. */
export async function act(
  program: HelmProgram,
  args: readonly string[],
  { input = '', signal, say, mask }: Acting,
): Promise<void> {
  const tell = (line: string) => say(`helm: ${printable(mask(line))}`);
  const output = lineReader(tell);
  await run(program, args, input, { signal, onOutput: output.add, onLine: tell, mask });
  output.end();
}

interface Acting {
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

/** Runs Helm to its end. Rejects with an ApplyError that tells its exit code and what it said last. */
function run(program: HelmProgram, args: readonly string[], input: string, reading: Reading): Promise<void> {
  const { helm, environment } = program;
  const command = `helm ${args.slice(0, args[0] === 'get' ? 3 : 2).join(' ')}`;
  return new Promise((resolve, reject) => {
    const kept: string[] = [];
    const child: ChildProcess = spawn(helm, args, { env: environment, stdio: ['pipe', 'pipe', 'pipe'] });
    const errors = lineReader((line) => {
      kept.push(line);
      if (kept.length > KEPT_LINES) kept.shift();
      reading.onLine(line);
    });
    let fault: unknown = null;
    // Helm ends what it does, and takes it back where it was told to, when it is asked to stop.
    const stop = () => child.kill('SIGTERM');
    reading.signal.addEventListener('abort', stop, { once: true });
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      try {
        reading.onOutput(text);
      } catch (error) {
        fault ??= error;
        stop();
      }
    });
    child.stderr?.setEncoding('utf8').on('data', errors.add);
    // Helm that ends before it reads says why itself.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
    child.on('error', (error) => reject(new ApplyError(`${helm} cannot be started: ${error.message}`)));
    child.on('close', (code, signal) => {
      reading.signal.removeEventListener('abort', stop);
      errors.end();
      if (fault !== null) return reject(fault);
      if (code === 0) return resolve();
      const how = code === null ? `was ended by ${signal}` : `ended with ${code}`;
      const said = kept.map((line) => printable(reading.mask(line))).join('\n    ');
      reject(new ApplyError(`${command} ${how}${said === '' ? '' : `:\n    ${said}`}`));
    });
  });
}

/** Cuts a stream of text into lines. */
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
