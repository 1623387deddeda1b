import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpRequest } from '../request/types.ts';

type Command = [command: string, ...args: string[]];
type Write = (name: string, text: string) => string;

/** How samples are run: all of a language in one process, because starting and compiling takes the time. */
export interface Runner {
  language: string;
  /** A command that works if the language is installed. */
  needs: readonly [command: string, ...args: string[]];
  /** Writes the samples to a folder, each as a function or file, and returns the commands that run them there. */
  write(samples: readonly string[], requests: readonly HttpRequest[], folder: string): Command[];
}

export function isInstalled({ needs: [command, ...args] }: Runner): boolean {
  return spawnSync(command, args, { stdio: 'ignore', timeout: 60_000 }).status === 0;
}

const writerTo =
  (folder: string): Write =>
  (name, text) => {
    writeFileSync(join(folder, name), text);
    return name;
  };

/** Code as one file for each sample, and a file that runs them in order. */
const modules = (language: string, ending: string): Runner => ({
  language,
  needs: [process.execPath, '--version'],
  write(samples, requests, folder) {
    const write = writerTo(folder);
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

/** C and C++: each program is a function of one file. */
const compiled = (language: string, compiler: string, ending: string): Runner => ({
  language,
  needs: [
    'sh',
    '-c',
    `echo '#include <curl/curl.h>' | ${compiler} -x ${ending === 'c' ? 'c' : 'c++'} -fsyntax-only -`,
  ],
  write(samples, _, folder) {
    const write = writerTo(folder);
    const names = samples.map((_, index) => `sample${index}`);
    const functions = samples.map((sample, index) => sample.replace('int main(', `int sample${index}(`));
    const calls = names.map((name) => `  ${name}();`).join('\n');
    const source = `${functions.join('\n\n')}\n\nint main(void) {\n${calls}\n  return 0;\n}\n`;
    const program = `./program-${ending}`;
    return [
      [compiler, '-Wall', '-Werror', '-o', program, write(`main.${ending}`, source), '-lcurl'],
      [program],
    ];
  },
});

/** Where the packages of Debian keep the source of Rust libraries: `librust-reqwest-dev` and what it needs. */
const crates = '/usr/share/cargo/registry';

const rust: Runner = {
  language: 'rust',
  needs: ['sh', '-c', `cargo --version && ls -d ${crates}/reqwest-0.11.*`],
  write(samples, _, folder) {
    const write = writerTo(folder);
    for (const name of ['src', '.cargo']) mkdirSync(join(folder, name));
    write(
      '.cargo/config.toml',
      `source.crates-io.replace-with = "debian"\nsource.debian.directory = "${crates}"\n`,
    );
    write(
      'Cargo.toml',
      `package = { name = "samples", version = "0.0.0", edition = "2021" }
dependencies.reqwest = { version = "0.11", default-features = false, features = ["blocking", "multipart"] }
`,
    );
    for (const [index, sample] of samples.entries())
      write(`src/sample${index}.rs`, sample.replace('fn main(', 'pub fn main('));
    const declared = samples.map((_, index) => `mod sample${index};`).join('\n');
    const calls = samples.map((_, index) => `    sample${index}::main()?;`).join('\n');
    write(
      'src/main.rs',
      `${declared}\n\nfn main() -> Result<(), Box<dyn std::error::Error>> {\n${calls}\n    Ok(())\n}\n`,
    );
    return [['cargo', 'run', '--offline', '--quiet']];
  },
};

/** Languages whose interpreter or compiler may be installed. */
export const runners: readonly Runner[] = [
  {
    language: 'bash',
    needs: ['bash', '-c', 'curl --version'],
    write: (samples, _, folder) => [
      ['bash', writerTo(folder)('run.sh', samples.map((one) => `${one} --silent --max-time 20`).join('\n'))],
    ],
  },
  {
    language: 'python',
    needs: ['python3', '-c', 'import requests'],
    write: (samples, _, folder) => [['python3', writerTo(folder)('run.py', samples.join('\n'))]],
  },
  modules('javascript', 'mjs'),
  modules('node', 'mjs'),
  modules('typescript', 'mts'),
  {
    language: 'php',
    needs: ['php', '-r', 'curl_init();'],
    write: (samples, _, folder) => {
      const write = writerTo(folder);
      const names = samples.map((sample, index) => write(`sample${index}.php`, sample));
      return [['php', write('run.php', `<?php\n${names.map((name) => `require './${name}';`).join('\n')}`)]];
    },
  },
  {
    language: 'ruby',
    needs: ['ruby', '--version'],
    write: (samples, _, folder) => [['ruby', writerTo(folder)('run.rb', samples.join('\n'))]],
  },
  {
    language: 'go',
    needs: ['go', 'version'],
    write: (samples, _, folder) => {
      const write = writerTo(folder);
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
    write: (samples, _, folder) => {
      const write = writerTo(folder);
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
  rust,
  {
    language: 'powershell',
    needs: ['pwsh', '-Version'],
    write: (samples, _, folder) => [
      ['pwsh', '-NoProfile', '-File', writerTo(folder)('run.ps1', samples.join('\n'))],
    ],
  },
];
