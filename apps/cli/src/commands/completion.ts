import { Argument, type Command, type Option } from 'commander';
import type { CompletedCommand, CompletedValue } from '../completion/model.ts';
import { bashScript, fishScript, zshScript } from '../completion/scripts.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;
const SHELLS = ['bash', 'zsh', 'fish'] as const;

export function addCompletionCommand(program: Command): void {
  const shell = new Argument('<shell>', 'shell that completes the commands').choices(SHELLS);
  program
    .command('completion')
    .description('print the completion script of a shell')
    .addArgument(shell)
    .addHelpText(
      'after',
      '\nzsh reads completions from the folders of fpath. Put the folder of the example there before compinit runs, in ~/.zshrc:\n  fpath=(~/.zsh/completions $fpath)\n  autoload -Uz compinit && compinit\n\nExamples:\n  $ source <(offprint completion bash)\n  $ mkdir -p ~/.zsh/completions && offprint completion zsh > ~/.zsh/completions/_offprint\n  $ mkdir -p ~/.config/fish/completions && offprint completion fish > ~/.config/fish/completions/offprint.fish',
    )
    .action((name: (typeof SHELLS)[number]) => {
      process.stdout.write(SCRIPTS[name](modelOf(program)));
    });
}

/** The completion model, derived from the commands. */
function modelOf(program: Command): CompletedCommand[] {
  const found: CompletedCommand[] = [];
  const visit = (command: Command, path: readonly string[]): void => {
    const help = command.createHelp();
    const subcommands = help.visibleCommands(command).filter((sub) => sub.name() !== 'help');
    found.push({
      path,
      subcommands: subcommands.map((sub) => ({ name: sub.name(), about: sub.description() })),
      options: help.visibleOptions(command).map((option) => ({
        flags: [option.short, option.long].filter((flag) => flag !== undefined && flag !== null),
        about: option.description,
        value: completedOption(option),
      })),
      values: command.registeredArguments.map((argument) =>
        completedValue(argument.name(), argument.argChoices),
      ),
    });
    for (const sub of subcommands) visit(sub, [...path, sub.name()]);
  };
  visit(program, []);
  return found;
}

function completedOption(option: Option): CompletedValue | null {
  if (!option.required && !option.optional) return null;
  return completedValue(/[<[]([^>\]]*)/.exec(option.flags)?.[1] ?? '', option.argChoices);
}

/** The name of a value determines whether it is a folder, a file, or anything. */
function completedValue(name: string, choices: readonly string[] | undefined): CompletedValue {
  if (choices !== undefined) return { kind: 'choice', choices };
  if (/^dir$/.test(name)) return { kind: 'folder' };
  return /^(?:file|bundle|values|chart)$/.test(name) ? { kind: 'file' } : { kind: 'any' };
}
