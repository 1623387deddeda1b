/** Completion scripts. They contain all commands and start no process, so that completion is immediate. */
import type { CompletedCommand, CompletedValue } from './model.ts';

const NAME = 'offprint';

const keyOf = (path: readonly string[]): string => [NAME, ...path].join(' ');
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** For bash 3.2 and newer, without the package bash-completion. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  return `# Completion of ${NAME} for bash: source <(${NAME} completion bash)
_${NAME}() {
  local word=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command=${NAME} at=1 count=0 i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command \${COMP_WORDS[i]}" in
${walkCases(commands, '      ')}
      *" -"*) ;;
      *) count=$((count + 1)) ;;
    esac
  done
  if [[ $previous == -* ]]; then
    case "$command $previous" in
${commands.flatMap((command) => command.options.flatMap((option) => bashOption(command, option))).join('\n')}
    esac
  fi
  if [[ $word == -* ]]; then
    case $command in
${commands.map(({ path, options }) => `      ${quote(keyOf(path))}) COMPREPLY=($(compgen -W ${quote(options.flatMap(({ flags }) => flags).join(' '))} -- "$word")) ;;`).join('\n')}
    esac
    return
  fi
  case "$command:$count" in
${commands.flatMap(bashArguments).join('\n')}
  esac
}
complete -F _${NAME} ${NAME}
`;
}

/** Enters subcommands and skips the values of options. */
function walkCases(commands: readonly CompletedCommand[], indent: string): string {
  const lines: string[] = [];
  for (const { path, subcommands, options } of commands) {
    for (const { name } of subcommands)
      lines.push(
        `${indent}${quote(`${keyOf(path)} ${name}`)}) command=${quote(keyOf([...path, name]))} count=0 ;;`,
      );
    const flags = options.filter(({ value }) => value !== null).flatMap((option) => option.flags);
    if (flags.length > 0)
      lines.push(
        `${indent}${flags.map((flag) => quote(`${keyOf(path)} ${flag}`)).join(' | ')}) i=$((i + 1)) ;;`,
      );
  }
  return lines.join('\n');
}

function bashOption({ path }: CompletedCommand, option: CompletedCommand['options'][number]): string[] {
  if (option.value === null) return [];
  const patterns = option.flags.map((flag) => quote(`${keyOf(path)} ${flag}`)).join(' | ');
  return [`      ${patterns}) ${bashValue(option.value)} return ;;`];
}

function bashArguments({ path, subcommands, values }: CompletedCommand): string[] {
  if (subcommands.length > 0) {
    const names = subcommands.map(({ name }) => name).join(' ');
    return [`    ${quote(`${keyOf(path)}:0`)}) COMPREPLY=($(compgen -W ${quote(names)} -- "$word")) ;;`];
  }
  return values.map((value, at) => `    ${quote(`${keyOf(path)}:${at}`)}) ${bashValue(value)} ;;`);
}

function bashValue(value: CompletedValue): string {
  // File names may contain spaces, so compgen output is split at line breaks only.
  const paths = (flag: string): string =>
    `local IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen ${flag} -- "$word"));`;
  switch (value.kind) {
    case 'choice':
      return `COMPREPLY=($(compgen -W ${quote(value.choices.join(' '))} -- "$word"));`;
    case 'folder':
      return paths('-d');
    case 'file':
      return paths('-f');
    case 'any':
      return ':;';
  }
}

export function zshScript(commands: readonly CompletedCommand[]): string {
  const functions = commands.map(({ path, subcommands, options, values }) => {
    const specs = [
      ...options.flatMap(({ flags, about, value }) =>
        flags.map((flag) =>
          quote(`${flag}[${zshText(about)}]${value === null ? '' : `:value:${zshValue(value)}`}`),
        ),
      ),
      ...(subcommands.length > 0
        ? [quote('1:command:->command'), quote('*::argument:->argument')]
        : values.map((value, at) => quote(`${at + 1}:argument:${zshValue(value)}`))),
    ];
    const described = subcommands.map(({ name, about }) => quote(`${name}:${zshText(about)}`)).join(' ');
    const calls = subcommands.map(({ name }) => `        ${name}) ${functionOf([...path, name])} ;;`);
    return `${functionOf(path)}() {
  local state line
  local -a commands
  commands=(${described})
  _arguments -C ${specs.join(' ')}
  case $state in
    command) _describe command commands ;;
    argument)
      case $line[1] in
${calls.join('\n')}
      esac ;;
  esac
}`;
  });
  return `#compdef ${NAME}
# Completion of ${NAME} for zsh: ${NAME} completion zsh > ~/.zsh/completions/_${NAME}
${functions.join('\n')}
if [ "$funcstack[1]" = "_${NAME}" ]; then ${functionOf([])} "$@"; else compdef ${functionOf([])} ${NAME}; fi
`;
}

const functionOf = (path: readonly string[]): string =>
  `_${[NAME, 'command', ...path].join('_').replaceAll('-', '_')}`;
const zshText = (text: string): string => text.replace(/[[\]\\:]/g, '\\$&');

function zshValue(value: CompletedValue): string {
  if (value.kind === 'choice') return `(${value.choices.join(' ')})`;
  return value.kind === 'folder' ? '_files -/' : value.kind === 'file' ? '_files' : ' ';
}

export function fishScript(commands: readonly CompletedCommand[]): string {
  const lines: string[] = [];
  for (const { path, subcommands, options, values } of commands) {
    const inside = path.map((name) => `__fish_seen_subcommand_from ${name}`);
    const names = subcommands.map(({ name }) => name).join(' ');
    const outside = subcommands.length === 0 ? [] : [`not __fish_seen_subcommand_from ${names}`];
    const here = quote([...inside, ...outside].join('; and ') || 'true');
    const inCommand = quote(inside.join('; and ') || 'true');
    for (const { name, about } of subcommands)
      lines.push(`complete -c ${NAME} -f -n ${here} -a ${quote(name)} -d ${quote(about)}`);
    for (const { flags, about, value } of options) {
      const forms = flags.map((flag) =>
        flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
      );
      lines.push(
        `complete -c ${NAME} -n ${inCommand} ${forms.join(' ')}${fishValue(value)} -d ${quote(about)}`,
      );
    }
    for (const value of values) {
      if (value.kind === 'any') continue;
      lines.push(`complete -c ${NAME} -n ${here}${fishValue(value).replace(' -x', '').replace(' -r', '')}`);
    }
  }
  return `# Completion of ${NAME} for fish: ${NAME} completion fish > ~/.config/fish/completions/${NAME}.fish
complete -c ${NAME} -f
${lines.join('\n')}
`;
}

function fishValue(value: CompletedValue | null): string {
  switch (value?.kind) {
    case undefined:
      return '';
    case 'choice':
      return ` -x -a ${quote(value?.kind === 'choice' ? value.choices.join(' ') : '')}`;
    case 'folder':
      return " -x -a '(__fish_complete_directories)'";
    case 'file':
      return ' -r -F';
    case 'any':
      return ' -x';
  }
}
