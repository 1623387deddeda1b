import type { FailureCode, TurnCounters } from '../record.ts';

/** What one turn may take. */
export interface TurnLimits {
  steps: number;
  minutes: number;
  inputTokens: number;
  outputTokens: number;
  /** US dollars; applies where prices are known. */
  costUsd: number;
}

export interface Overrun {
  code: Extract<FailureCode, 'budget' | 'timeout'>;
  message: string;
}

/** The limit that a turn has reached, or null. Times in milliseconds since 1970. */
export function overrun(
  counters: TurnCounters,
  limits: TurnLimits,
  turnStartedAt: number,
  now: number,
): Overrun | null {
  const budget = (message: string): Overrun => ({ code: 'budget', message });
  if (now - turnStartedAt >= limits.minutes * 60_000) {
    return { code: 'timeout', message: `The turn reached its limit of ${limits.minutes} minutes.` };
  }
  if (counters.steps >= limits.steps)
    return budget(`The turn reached its limit of ${limits.steps} model requests.`);
  if (counters.input >= limits.inputTokens) {
    return budget(`The turn reached its limit of ${limits.inputTokens} input tokens.`);
  }
  if (counters.output >= limits.outputTokens) {
    return budget(`The turn reached its limit of ${limits.outputTokens} output tokens.`);
  }
  if (counters.costUsd !== null && counters.costUsd >= limits.costUsd) {
    return budget(`The turn reached its limit of ${limits.costUsd} US dollars.`);
  }
  return null;
}
