import { StartError } from '../start-error.ts';
import { detectIsolation, type IsolationFacts } from './isolation.ts';

export interface IsolationLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** What must be in force where isolation is required. */
const REQUIRED = ['files', 'network', 'processes'] as const;

/** Whether the kernel keeps files, the network and other processes from children. */
export const isIsolated = (facts: IsolationFacts): boolean =>
  REQUIRED.every((part) => facts[part].length > 0);

/** What is in force, without the functions that apply it. */
export async function isolationFacts(): Promise<IsolationFacts> {
  const { wrap: _wrap, seal: _seal, ...facts } = await detectIsolation();
  return facts;
}

/** What is in force, for those who ask whether the platform is ready. */
export async function isolationReport(): Promise<Record<string, string[]>> {
  const { files, network, processes, systemCalls } = await isolationFacts();
  return {
    files: [...files],
    network: [...network],
    processes: [...processes],
    systemCalls: [...systemCalls],
  };
}

/** Logs how children are isolated, for a process that is about to start some. */
export async function logIsolation(log: IsolationLog): Promise<void> {
  const facts = await isolationFacts();
  if (isIsolated(facts)) log.info(facts, `sandbox: ${isolationText(facts)}`);
  else
    log.warn(
      facts,
      `sandbox: ${isolationText(facts)}; documents that find a defect in the renderer could read what this process can read`,
    );
}

/** One line, such as `files by Landlock; network by seccomp; processes by seccomp; system calls by seccomp`. */
export function isolationText(facts: IsolationFacts): string {
  const names = { files: 'files', network: 'network', processes: 'processes', systemCalls: 'system calls' };
  return Object.entries(names)
    .map(([part, name]) => {
      const mechanisms = facts[part as keyof typeof names];
      return `${name} ${mechanisms.length === 0 ? 'not isolated' : `by ${mechanisms.join(' and ')}`}`;
    })
    .join('; ');
}

/** Throws a StartError where the kernel does not isolate children and that is required. */
export async function requireIsolation(): Promise<void> {
  const facts = await isolationFacts();
  if (isIsolated(facts)) return;
  const open = REQUIRED.filter((part) => facts[part].length === 0).join(', ');
  const reasons = Object.entries(facts.missing).map(([mechanism, reason]) => `  ${mechanism}: ${reason}`);
  throw new StartError(
    `OFFPRINT_SANDBOX is \`required\`, but this machine does not isolate render processes (${open}):\n${reasons.join('\n')}\n` +
      'Use Linux 5.13 or later with Landlock, or allow unprivileged user namespaces. To render documents that you trust ' +
      'without this isolation, set OFFPRINT_SANDBOX=preferred.',
  );
}
