const DAMAGED = 'chunk_damaged';

/** Not a BundleError: it says nothing about the file that is packed. */
export const damagedBundle = (): Error =>
  Object.assign(new Error('the earlier bundle is damaged'), { code: DAMAGED });

/** Whether an export failed because the earlier bundle is not what it was. */
export function isDamagedBundle(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === DAMAGED;
}
