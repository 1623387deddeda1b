import type { SourceTree } from '../source.ts';

/** Takes which API descriptions are used, so that a later render knows which pages a changed one concerns. */
export interface DescriptionUse {
  /** The source as API descriptions are read from it. */
  of(source: SourceTree): SourceTree;
  /** What is rendered depends on the description in this file and on the files that it refers to. */
  used(file: string): void;
  /** A file of a description refers to another one, whether that exists or not. */
  linked(from: string, to: string): void;
}

export const unnotedUse: DescriptionUse = { of: (source) => source, used() {}, linked() {} };
