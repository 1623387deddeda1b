import type { LexerName } from './lexers/index.ts';
import type { VocabularyName } from './words.ts';

/** How a language is read: a lexer of our own, a Lezer grammar, a CodeMirror stream mode line by line, or by its words alone. */
export type Grammar =
  | { kind: 'lexer'; name: LexerName }
  | { kind: 'lezer'; module: LezerModule; dialect?: string }
  | { kind: 'stream'; module: string; mode: string }
  | { kind: 'words'; vocabulary: VocabularyName }
  | { kind: 'markdown' }
  | { kind: 'html' };

export type LezerModule =
  | '@lezer/cpp'
  | '@lezer/css'
  | '@lezer/go'
  | '@lezer/html'
  | '@lezer/java'
  | '@lezer/javascript'
  | '@lezer/json'
  | '@lezer/php'
  | '@lezer/python'
  | '@lezer/rust'
  | '@lezer/sass'
  | '@lezer/xml'
  | '@lezer/yaml';

export interface Language {
  /** Lower-case name used in class names and data attributes. */
  name: string;
  /** What a reader sees: `TypeScript`. */
  label: string;
  /** null = shown as plain text. */
  grammar: Grammar | null;
}

type Row = readonly [names: string, label: string, grammar: Grammar | null];

const lezer = (module: LezerModule, dialect?: string): Grammar =>
  dialect === undefined ? { kind: 'lezer', module } : { kind: 'lezer', module, dialect };
const stream = (module: string, mode: string = module): Grammar => ({ kind: 'stream', module, mode });

const lexer = (name: LexerName): Grammar => ({ kind: 'lexer', name });
const words = (vocabulary: VocabularyName): Grammar => ({ kind: 'words', vocabulary });

/** Names as written after the fence (the first one is the language's own), label, grammar. */
const ROWS: readonly Row[] = [
  ['text txt plain plaintext nocopy none output log logs csv tsv ascii', 'Text', null],
  ['mermaid mmd', 'Mermaid', null],
  ['gitignore dockerignore ignore', 'Ignore file', stream('shell')],
  ['javascript js mjs cjs node nodejs node.js', 'JavaScript', lexer('javascript')],
  ['jsx react', 'JSX', lexer('javascript')],
  ['typescript ts mts cts deno', 'TypeScript', lexer('typescript')],
  ['tsx', 'TSX', lexer('tsx')],
  ['python py python3 py3 pyi ipython pycon', 'Python', lexer('python')],
  ['bash sh zsh fish ksh bat cmd batch curl', 'Bash', stream('shell')],
  ['shell console terminal shellscript shell-session shellsession', 'Shell', stream('shell')],
  ['env dotenv', 'Environment', stream('shell')],
  ['json webmanifest', 'JSON', lexer('json')],
  ['jsonc json5 jsonl ndjson jsonlines', 'JSON', lexer('json')],
  ['yaml yml', 'YAML', lexer('yaml')],
  ['toml', 'TOML', stream('toml')],
  ['ini conf cfg', 'INI', stream('properties')],
  ['properties', 'Properties', stream('properties')],
  ['html htm xhtml', 'HTML', { kind: 'html' }],
  ['vue', 'Vue', { kind: 'html' }],
  ['svelte', 'Svelte', { kind: 'html' }],
  ['astro', 'Astro', { kind: 'html' }],
  ['handlebars hbs mustache ejs erb liquid twig', 'Template', { kind: 'html' }],
  ['jinja jinja2 j2 django', 'Jinja', stream('jinja2')],
  ['xml svg rss atom xsd xsl xslt plist', 'XML', lezer('@lezer/xml')],
  ['css postcss', 'CSS', lezer('@lezer/css')],
  ['scss', 'SCSS', lezer('@lezer/sass')],
  ['sass', 'Sass', lezer('@lezer/sass', 'indented')],
  ['less', 'Less', stream('css', 'less')],
  ['markdown md', 'Markdown', { kind: 'markdown' }],
  ['mdx', 'MDX', { kind: 'markdown' }],
  ['go golang', 'Go', lezer('@lezer/go')],
  ['rust rs', 'Rust', lezer('@lezer/rust')],
  ['java', 'Java', lezer('@lezer/java')],
  ['php', 'PHP', lezer('@lezer/php')],
  ['c h', 'C', lezer('@lezer/cpp')],
  ['cpp c++ cc cxx hpp', 'C++', lezer('@lezer/cpp')],
  ['csharp c# cs dotnet', 'C#', stream('clike', 'csharp')],
  ['objective-c objc objectivec', 'Objective-C', stream('clike', 'objectiveC')],
  ['kotlin kt kts', 'Kotlin', stream('clike', 'kotlin')],
  ['scala', 'Scala', stream('clike', 'scala')],
  ['dart', 'Dart', stream('clike', 'dart')],
  ['swift', 'Swift', stream('swift')],
  ['ruby rb gemfile', 'Ruby', stream('ruby')],
  ['sql psql plsql postgresql postgres mysql sqlite tsql', 'SQL', stream('sql', 'standardSQL')],
  ['graphql gql', 'GraphQL', words('graphql')],
  ['dockerfile docker containerfile', 'Dockerfile', stream('dockerfile', 'dockerFile')],
  ['nginx', 'nginx', stream('nginx')],
  ['diff patch', 'Diff', stream('diff')],
  ['http https rest', 'HTTP', stream('http')],
  ['lua', 'Lua', stream('lua')],
  ['perl pl', 'Perl', stream('perl')],
  ['r', 'R', stream('r')],
  ['elixir ex exs', 'Elixir', words('elixir')],
  ['erlang erl', 'Erlang', words('erlang')],
  ['haskell hs', 'Haskell', stream('haskell')],
  ['clojure clj cljs edn', 'Clojure', stream('clojure')],
  ['elm', 'Elm', stream('elm')],
  ['ocaml ml', 'OCaml', stream('mllike', 'oCaml')],
  ['fsharp f# fs', 'F#', stream('mllike', 'fSharp')],
  ['julia jl', 'Julia', stream('julia')],
  ['groovy gradle', 'Groovy', stream('groovy')],
  ['powershell ps ps1 pwsh', 'PowerShell', stream('powershell', 'powerShell')],
  ['protobuf proto', 'Protocol Buffers', stream('protobuf')],
  ['hcl terraform tf', 'HCL', words('hcl')],
  ['solidity sol', 'Solidity', words('solidity')],
  ['zig', 'Zig', words('zig')],
  ['prisma', 'Prisma', words('prisma')],
  ['cmake', 'CMake', words('cmake')],
  ['makefile make mk', 'Makefile', words('makefile')],
  ['crystal', 'Crystal', stream('crystal')],
  ['commonlisp lisp', 'Lisp', stream('commonlisp', 'commonLisp')],
  ['scheme racket', 'Scheme', stream('scheme')],
  ['cypher', 'Cypher', stream('cypher')],
  ['sparql', 'SPARQL', stream('sparql')],
  ['fortran', 'Fortran', stream('fortran')],
  ['matlab octave', 'MATLAB', stream('octave')],
  ['pascal delphi', 'Pascal', stream('pascal')],
  ['tcl', 'Tcl', stream('tcl')],
  ['latex tex', 'LaTeX', stream('stex')],
  ['wasm wat wast', 'WebAssembly', stream('wast')],
  ['asm assembly', 'Assembly', stream('gas')],
  ['pug jade', 'Pug', stream('pug')],
  ['gherkin cucumber feature', 'Gherkin', stream('gherkin')],
];

const byName = new Map<string, Language>();
for (const [names, label, grammar] of ROWS) {
  const list = names.split(' ');
  const language: Language = { name: list[0]!, label, grammar };
  for (const name of list) byName.set(name, language);
}

/** The language of a fence, by any of its names in any case; null when it is not known (shown as plain text). */
export function findLanguage(lang: string): Language | null {
  return byName.get(lang.toLowerCase()) ?? null;
}
