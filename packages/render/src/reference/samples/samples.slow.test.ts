import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpRequest } from '../request/types.ts';
import { comparable, comparableReceived, type Echo, startEcho } from './echo.fixture.ts';
import { findLanguage } from './index.ts';
import { files, sampleRequests } from './requests.fixture.ts';

const run = promisify(execFile);
let echo: Echo;
let folder: string;

beforeAll(async () => {
  echo = await startEcho();
  folder = mkdtempSync(join(tmpdir(), 'offprint-samples-'));
});
afterAll(async () => {
  await echo.close();
  rmSync(folder, { recursive: true, force: true });
});

const works = (command: string, args: readonly string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore', timeout: 60_000 }).status === 0;

/** How samples are run: all of a language in one process, because starting and compiling takes the time. */
interface Runner {
  language: string;
  /** A command that works if the language is installed. */
  needs: readonly [command: string, ...args: string[]];
  /** Writes the samples to the folder, each as a function or file, and returns the commands that run them. */
  write(samples: readonly string[], requests: readonly HttpRequest[]): [command: string, ...args: string[]][];
}

const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return name;
};

/** Code as one file for each sample, and a file that runs them in order. */
const modules = (language: string, ending: string): Runner => ({
  language,
  needs: [process.execPath, '--version'],
  write(samples, requests) {
    const names = samples.map((sample, index) => {
      const list = filesOf(requests[index]);
      // Stands for the page whose form has the files.
      write(
        `page${index}.mjs`,
        `globalThis.document = { querySelector: () => ({ files: page(${JSON.stringify(list)}) }) };`,
      );
      write(`sample${index}.${ending}`, sample);
      return [`./page${index}.mjs`, `./sample${index}.${ending}`];
    });
    const page = `import { readFileSync } from 'node:fs';
globalThis.page = (names) => names.map((name) => new File([readFileSync(name)], name));
for (const name of ${JSON.stringify(names.flat())}) await import(name);`;
    return [[process.execPath, write('run.mjs', page)]];
  },
});

const filesOf = (request: HttpRequest | undefined): string[] => {
  const body = request?.body;
  if (body?.kind === 'file') return [body.file];
  return body?.kind === 'multipart' ? body.parts.flatMap(({ file }) => (file === null ? [] : [file])) : [];
};

/** C and C++: each program is a function of one program. */
const compiled = (language: string, compiler: string, ending: string): Runner => ({
  language,
  needs: [
    'sh',
    '-c',
    `echo '#include <curl/curl.h>' | ${compiler} -x ${ending === 'c' ? 'c' : 'c++'} -fsyntax-only -`,
  ],
  write(samples) {
    const sources = samples.map((sample, index) =>
      write(`sample${index}.${ending}`, sample.replace('int main(', `int sample${index}(`)),
    );
    const names = samples.map((_, index) => `sample${index}`);
    const declared = names.map((name) => `int ${name}(void);`).join('\n');
    const main = `${declared}\nint main(void) {\n${names.map((name) => `  ${name}();`).join('\n')}\n  return 0;\n}\n`;
    const program = `./program-${ending}`;
    return [
      [compiler, '-Wall', '-Werror', '-o', program, write(`main.${ending}`, main), ...sources, '-lcurl'],
      [program],
    ];
  },
});

const runners: readonly Runner[] = [
  {
    language: 'bash',
    needs: ['bash', '-c', 'curl --version'],
    write: (samples) => [
      ['bash', write('run.sh', samples.map((one) => `${one} --silent --max-time 20`).join('\n'))],
    ],
  },
  {
    language: 'python',
    needs: ['python3', '-c', 'import requests'],
    write: (samples) => [['python3', write('run.py', samples.join('\n'))]],
  },
  modules('javascript', 'mjs'),
  modules('node', 'mjs'),
  modules('typescript', 'mts'),
  {
    language: 'php',
    needs: ['php', '-r', 'curl_init();'],
    write: (samples) => {
      const names = samples.map((sample, index) => write(`sample${index}.php`, sample));
      return [['php', write('run.php', `<?php\n${names.map((name) => `require './${name}';`).join('\n')}`)]];
    },
  },
  {
    language: 'ruby',
    needs: ['ruby', '--version'],
    write: (samples) => [['ruby', write('run.rb', samples.join('\n'))]],
  },
  {
    language: 'go',
    needs: ['go', 'version'],
    write: (samples) => {
      const names = samples.map((sample, index) =>
        write(`sample${index}.go`, sample.replace('func main()', `func sample${index}()`)),
      );
      const calls = samples.map((_, index) => `\tsample${index}()`).join('\n');
      return [['go', 'run', write('run.go', `package main\n\nfunc main() {\n${calls}\n}\n`), ...names]];
    },
  },
  {
    language: 'java',
    needs: ['javac', '--version'],
    write: (samples) => {
      const names = samples.map((sample, index) =>
        write(`Sample${index}.java`, sample.replace('class Main', `class Sample${index}`)),
      );
      const calls = samples.map((_, index) => `        Sample${index}.main(args);`).join('\n');
      const main = `public class Main {\n    public static void main(String[] args) throws Exception {\n${calls}\n    }\n}`;
      return [
        ['javac', '-encoding', 'UTF-8', '-d', '.', write('Main.java', main), ...names],
        ['java', '-XX:TieredStopAtLevel=1', '-cp', '.', 'Main'],
      ];
    },
  },
  compiled('c', 'gcc', 'c'),
  compiled('c++', 'g++', 'cpp'),
  {
    language: 'powershell',
    needs: ['pwsh', '-Version'],
    write: (samples) => [['pwsh', '-NoProfile', '-File', write('run.ps1', samples.join('\n'))]],
  },
];

/** Compares what the server received with each request. */
function expectReceived(requests: readonly HttpRequest[], isFormData: boolean): void {
  const pairs = requests.map((request, index) => {
    const [received, ...more] = echo.received.get(String(index)) ?? [];
    expect(more, `request ${index} is sent once`).toEqual([]);
    return {
      sent: comparable(request, files, isFormData),
      received: received === undefined ? null : comparableReceived(request, received),
    };
  });
  expect(pairs.map((one) => one.received)).toEqual(pairs.map((one) => one.sent));
}

/** Sends a request as it is described, independently of any sample. */
async function send({ method, url, headers, cookies, body }: HttpRequest): Promise<void> {
  const all = new Headers(headers.map(([name, value]): [string, string] => [name, value]));
  if (cookies.length > 0) all.set('Cookie', cookies.map(([name, value]) => `${name}=${value}`).join('; '));
  const blob = (file: string, type: string | null): Blob =>
    new Blob([Buffer.from(files[file] ?? '', 'latin1')], type === null ? {} : { type });
  let sent: BodyInit | null = null;
  if (body?.kind === 'text') sent = body.text;
  if (body?.kind === 'file') sent = blob(body.file, null);
  if (body?.kind === 'form') sent = new URLSearchParams(body.pairs.map(([name, value]) => [name, value]));
  if (body?.kind === 'multipart') {
    sent = new FormData();
    for (const { name, text, file, type } of body.parts) {
      if (file !== null) sent.append(name, blob(file, type), file);
      else if (type === null) sent.append(name, text ?? '');
      else sent.append(name, new Blob([text ?? ''], { type }));
    }
  }
  await (await fetch(url, { method, headers: all, body: sent })).text();
}

describe('samples', () => {
  it('are compared with requests that fetch sends', async () => {
    echo.received.clear();
    const requests = sampleRequests(echo.url);
    expect(requests.length).toBeGreaterThan(40);
    for (const request of requests) await send(request);
    expectReceived(requests, true);
  });

  for (const runner of runners) {
    const isInstalled = works(runner.needs[0], runner.needs.slice(1));
    if (!isInstalled)
      console.log(`Skipped: ${runner.needs.join(' ')} fails, so ${runner.language} is not run.`);
    it.skipIf(!isInstalled)(`in ${runner.language} send the described requests`, async () => {
      echo.received.clear();
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
      for (const [name, text] of Object.entries(files))
        write(name, '') && writeFileSync(join(folder, name), Buffer.from(text, 'latin1'));
      const language = findLanguage(runner.language);
      if (language === null) throw new Error(`${runner.language} is not a language of samples.`);
      const requests = sampleRequests(echo.url);
      const commands = runner.write(
        requests.map((request) => language.write(request)),
        requests,
      );
      for (const [command, ...args] of commands)
        await run(command, args, { cwd: folder, timeout: 300_000, maxBuffer: 1e8 });
      expectReceived(requests, /script|node/.test(runner.language));
    });
  }
});
