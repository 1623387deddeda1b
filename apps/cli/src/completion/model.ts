/** A command with everything that a shell can complete after it. */
export interface CompletedCommand {
  /** Names of the commands that lead to it; empty for the program itself. */
  path: readonly string[];
  subcommands: readonly { name: string; about: string }[];
  options: readonly { flags: readonly string[]; about: string; value: CompletedValue | null }[];
  /** The positional arguments in order. */
  values: readonly CompletedValue[];
}

export type CompletedValue =
  | { kind: 'choice'; choices: readonly string[] }
  | { kind: 'folder' }
  | { kind: 'file' }
  | { kind: 'any' };
