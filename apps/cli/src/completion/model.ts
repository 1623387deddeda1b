/** What a shell offers after a command. */
export interface CompletedCommand {
  /** Names from the program down; empty: the program itself. */
  path: readonly string[];
  subcommands: readonly { name: string; about: string }[];
  options: readonly { flags: readonly string[]; about: string; value: CompletedValue | null }[];
  /** The arguments in their order. */
  values: readonly CompletedValue[];
}

export type CompletedValue =
  | { kind: 'choice'; choices: readonly string[] }
  | { kind: 'folder' }
  | { kind: 'file' }
  | { kind: 'any' };
