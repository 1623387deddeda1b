/** Renders the chart: with the template engine that Helm is made of, and with Helm itself. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findHelm } from './helm-program.ts';

export const chartFolder = fileURLToPath(new URL('../../deploy/helm/offprint', import.meta.url));

export interface RenderRequest {
  /** YAML; later ones win. */
  values: string[];
  name?: string;
  namespace?: string;
  /** Texts in the place of files of the chart, by path from its folder. */
  overlay?: Record<string, string>;
}

export interface Rendered {
  /** Text by path of the template; none when there is an error. */
  files: Record<string, string>;
  /** The values as the templates see them. */
  values: Record<string, unknown>;
  error: string | null;
}

export interface Engine {
  render(requests: RenderRequest[]): Rendered[];
  close(): Promise<void>;
}

export const namespace = 'web';

const GO_PATH = '/usr/share/gocode';
const PACKAGES = ['github.com/Masterminds/sprig', 'gopkg.in/yaml.v2'];

/** Why the program below cannot be made here; null when it can. */
export function whyNoEngine(): string | null {
  if (!runs('go', ['version'])) return 'Go is not installed';
  const missing = PACKAGES.filter((name) => !existsSync(join(GO_PATH, 'src', name)));
  return missing.length === 0 ? null : `${missing.join(' and ')} are not below ${GO_PATH}`;
}

/** Compiles helm-render, without network, from the packages of the operating system. */
export async function compileEngine(): Promise<Engine> {
  const folder = await mkdtemp(join(tmpdir(), 'offprint-helm-'));
  const program = join(folder, 'helm-render');
  execFileSync('go', ['build', '-o', program, '.'], {
    cwd: fileURLToPath(new URL('helm-render', import.meta.url)),
    env: {
      // what was compiled once is taken from the cache of the machine, where there is one
      ...(process.env.HOME === undefined ? { GOCACHE: join(folder, 'cache') } : {}),
      ...process.env,
      GOPATH: GO_PATH,
      GO111MODULE: 'off',
      GOFLAGS: '',
      GOPROXY: 'off',
      CGO_ENABLED: '0',
    },
  });
  return {
    render(requests) {
      const input = requests.map((request) => {
        const { values, name = 'docs', overlay = {} } = request;
        const place = request.namespace ?? namespace;
        return JSON.stringify({ chart: chartFolder, values, name, namespace: place, overlay });
      });
      const { stdout, stderr, status } = spawnSync(program, {
        input: `${input.join('\n')}\n`,
        encoding: 'utf8',
        maxBuffer: 256 * 1024 * 1024,
      });
      if (status !== 0) throw new Error(`helm-render ended with ${status}: ${stderr}`);
      const answers = stdout.trim().split('\n');
      if (answers.length !== requests.length) throw new Error(`${answers.length} answers: ${stderr}`);
      return answers.map((line) => ({ files: {}, values: {}, error: null, ...JSON.parse(line) }));
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

const program = findHelm();
export const hasHelm = program !== null;

/** What `helm` says, with its exit code; values by standard input. */
export function helm(
  args: string[],
  values: string,
): { status: number | null; output: string; errors: string } {
  const { status, stdout, stderr } = spawnSync(program ?? 'helm', args, {
    input: values,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  return { status, output: stdout, errors: stderr };
}

function runs(command: string, args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}
