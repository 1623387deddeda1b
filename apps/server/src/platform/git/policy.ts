import type { NetworkPolicy } from '../net/host.ts';

/**
 * Hosts with an optional port: `git.internal` for every port, `git.internal:3000` for one, `*.internal` for all names
 * below, `*` for every host.
 */
export type HttpHosts = readonly string[];

/** What repositories this installation may read, and how it speaks to them. */
export interface GitPolicy extends NetworkPolicy {
  /** Hosts that may be reached by `http:`; see `HttpHosts`. */
  allowHttp: HttpHosts;
  /** PEM file of certificate authorities for `https:`; undefined = those of the system. */
  caFile?: string;
  /** File that keeps ssh host keys between runs: a new host is accepted once, a changed key is refused. */
  knownHostsFile?: string;
}

export type GitCredential =
  | {
      kind: 'token';
      token: string;
      /** Default: what the host expects beside an access token. */
      username?: string | undefined;
    }
  | {
      kind: 'ssh-key';
      /** OpenSSH or PEM text, without a passphrase. */
      privateKey: string;
      /** Lines of a known_hosts file, which then alone decides; default: the policy's file. */
      knownHosts?: string | undefined;
    };

export interface GitLimits {
  /** Most bytes that a transfer may write to disk. */
  transferBytes: number;
  /** Most files that are taken. */
  files: number;
  /** A larger file is left out and reported. */
  fileBytes: number;
  /** Most bytes of all files together. */
  totalBytes: number;
  /** The whole snapshot, from the first look-up to the last file. */
  timeoutMs: number;
}

/** Fit for the largest public docs repositories with room to spare. */
export const DEFAULT_GIT_LIMITS: Readonly<GitLimits> = {
  transferBytes: 4 * 1024 ** 3,
  files: 100_000,
  fileBytes: 256 * 1024 ** 2,
  totalBytes: 4 * 1024 ** 3,
  timeoutMs: 10 * 60_000,
};
