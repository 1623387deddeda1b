// Calls of the C library, which Node does not offer. Plain JavaScript because `confine.mjs` uses it, which runs before
// every child: removing types takes as long as starting Node.

/** @typedef {number | Uint8Array | null} Word */

/**
 * Loads the native part of koffi from `file`. Its functions return the result of the C function, and `-1` with the
 * error in `errno()`.
 * @param {string} file
 */
export function loadKernel(file) {
  const native = { exports: /** @type {any} */ ({}) };
  process.dlopen(native, file);
  const koffi = native.exports;
  const c = koffi.load(null);
  koffi.struct('sock_fprog', { length: 'uint16', filter: 'uint8 *' });
  const words = ['void *', 'void *', 'void *', 'void *'];
  /** @type {(number: number, ...words: [Word, Word, Word, Word]) => number} */
  const systemCall = c.func('syscall', 'long', ['long', ...words]);
  /** @type {(option: number, ...words: [Word, Word, Word, Word]) => number} */
  const prctl = c.func('prctl', 'int', ['int', ...words]);
  /** @type {(number: number, operation: number, flags: number, program: object) => number} */
  const seccomp = c.func('syscall', 'long', ['long', 'long', 'long', 'sock_fprog *']);
  /** @type {() => number} */
  const errno = koffi.errno;
  return {
    systemCall,
    prctl,
    errno,
    /**
     * Adds a filter program to this thread, or to all threads of the process.
     * @param {number} number of the system call `seccomp`
     * @param {Uint8Array} program
     * @param {boolean} allThreads
     */
    addFilter: (number, program, allThreads) =>
      seccomp(number, 1, allThreads ? 1 : 0, { length: program.length / 8, filter: program }),
  };
}
