/** Which paths a job may change, all relative to the docs root unless said otherwise. */
export interface WritePolicy {
  /** Folder of the docs inside the repository, '' for the root. */
  docsFolder: string;
  /** Globs that the project allows beyond the default; CI files, Git's own and agent instructions never are. */
  allow: readonly string[];
}
