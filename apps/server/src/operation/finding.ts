/** What one check has found. */
export interface Finding {
  /** Stable name of the check, such as `clock`. */
  check: string;
  status: 'ok' | 'warning' | 'error';
  /** One sentence. */
  message: string;
  /** What to do; null if nothing is to be done. */
  action: string | null;
}

export const ok = (check: string, message: string): Finding => ({
  check,
  status: 'ok',
  message,
  action: null,
});

export const warning = (check: string, message: string, action: string): Finding => ({
  check,
  status: 'warning',
  message,
  action,
});

export const failure = (check: string, message: string, action: string): Finding => ({
  check,
  status: 'error',
  message,
  action,
});
