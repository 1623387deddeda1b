import { findPortHolder } from './port-holder.ts';

/** How a person chooses where a server listens, such as `--port or OFFPRINT_PORT`. */
export interface ListenChoice {
  port: string;
  host: string;
}

interface SystemError extends Error {
  code: string;
  syscall?: string;
  path?: string;
  address?: string;
  port?: number;
}

export function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}

/** One sentence or two for a server that cannot listen, with the way out; null for any other error. */
export function listenErrorText(error: unknown, choice: ListenChoice): string | null {
  if (!isSystemError(error)) return null;
  const { code, syscall, address, port } = error;
  if (syscall === 'getaddrinfo') {
    return `Unknown host name ${JSON.stringify('hostname' in error ? error.hostname : '')}. Choose the IP address to listen on with ${choice.host}.`;
  }
  if (syscall !== 'listen' && syscall !== 'bind') return null;
  const another = `Choose another port with ${choice.port}.`;
  switch (code) {
    case 'EADDRINUSE': {
      const holder = port === undefined ? null : findPortHolder(port, address);
      const by = holder === null ? 'by another process' : `by process ${holder.pid} (${holder.command})`;
      return `Port ${port} is in use ${by}. ${another}`;
    }
    case 'EACCES':
      return `Permission denied to listen on port ${port}. ${another}`;
    case 'EADDRNOTAVAIL':
      return `This machine does not have the IP address ${address}. Choose another one with ${choice.host}.`;
    default:
      return `Cannot listen on ${address}:${port} (${code}). ${another}`;
  }
}

/**
 * A sentence for what the operating system refuses, with the way out: a full disk, missing rights, too many open files.
 * Null for any other error. `place` names what was written where the error itself names nothing.
 */
export function systemErrorText(error: unknown, place?: string): string | null {
  if (!isSystemError(error)) return null;
  const path = error.path ?? place;
  const at = path === undefined ? '' : ` for ${path}`;
  // Linux reports its limits on watched folders with the codes of a full disk and of too many open files.
  if (error.syscall === 'watch' && (error.code === 'ENOSPC' || error.code === 'EMFILE')) {
    const limit = error.code === 'ENOSPC' ? 'max_user_watches' : 'max_user_instances';
    return `The system watches too many folders. Raise the limit fs.inotify.${limit} with sysctl.`;
  }
  if (error.syscall === 'mkdir' && path !== undefined) {
    if (error.code === 'ENOENT') return `No folder can be created there: ${path}. Choose another folder.`;
    if (error.code === 'EEXIST') return `This is a file, not a folder: ${path}. Choose another folder.`;
  }
  switch (error.code) {
    case 'ENOSPC':
      return `No space left on the disk${at}. Free some space, then run the command again.`;
    case 'EDQUOT':
      return `The disk quota is used up${at}. Free some space, then run the command again.`;
    case 'EACCES':
    case 'EPERM':
      return path === undefined ? null : `Permission denied: ${path}. Check its owner and its mode.`;
    case 'EROFS':
      return `The file system is read-only${at}. Choose another folder.`;
    case 'EMFILE':
    case 'ENFILE':
      return 'Too many open files. Raise the limit with `ulimit -n`, or close other programs.';
    case 'EIO':
      return `The disk reports an input/output error${at}. Check the disk.`;
    case 'ENAMETOOLONG':
      return `The path is too long${at}.`;
    case 'ENOTDIR':
      return path === undefined ? null : `A part of the path is not a folder: ${path}.`;
    case 'ELOOP':
      return path === undefined ? null : `The path has too many symbolic links: ${path}.`;
    default:
      return null;
  }
}
