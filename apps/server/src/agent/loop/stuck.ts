import type { AssistantPart, ToolCall } from '../../platform/model/port.ts';
import type { JobEvent } from '../record.ts';

/** One step for this check: the calls, and their results. */
interface Round {
  calls: string;
  errors: string;
}

const REPEATS = 3;

/**
 * Why the last steps look like going in circles, as a sentence for the model and for people; null if they do
 * not: the same calls with the same results three times running, the same error three times, or two steps in
 * turn three times.
 */
export function stuckReason(events: readonly JobEvent[]): string | null {
  const rounds = roundsOf(events);
  if (isSame(rounds.slice(-REPEATS), ({ calls }) => calls)) {
    return `The same call was made ${REPEATS} times in a row with the same parameters and the same result.`;
  }
  if (isSame(rounds.slice(-REPEATS), ({ errors }) => errors)) {
    return `The same error occurred ${REPEATS} times in a row.`;
  }
  const tail = rounds.slice(-REPEATS * 2);
  const even = tail.filter((_, index) => index % 2 === 0);
  const odd = tail.filter((_, index) => index % 2 === 1);
  const alternates =
    tail.length === REPEATS * 2 && isSame(even, ({ calls }) => calls) && isSame(odd, ({ calls }) => calls);
  return alternates ? `The same two calls alternated ${REPEATS} times.` : null;
}

function isSame(rounds: readonly Round[], key: (round: Round) => string): boolean {
  const first = rounds[0] === undefined ? '' : key(rounds[0]);
  return rounds.length >= REPEATS && first !== '' && rounds.every((round) => key(round) === first);
}

function roundsOf(events: readonly JobEvent[]): Round[] {
  const rounds: Round[] = [];
  let calls: ToolCall[] = [];
  for (const event of events) {
    if (event.kind === 'assistant') calls = event.parts.filter(isCall);
    if (event.kind !== 'results') continue;
    const errors = event.results.filter(({ isError }) => isError);
    rounds.push({
      // With its result: reading again after a change is not a circle.
      calls: JSON.stringify([
        calls.map(({ name, input }) => [name, input]),
        event.results.map(({ output }) => output),
      ]),
      errors:
        errors.length === event.results.length
          ? errors.map(({ name, output }) => `${name}: ${output}`).join('\n')
          : '',
    });
  }
  return rounds;
}

export const isCall = (part: AssistantPart): part is ToolCall => part.type === 'tool-call';
