import type { ChildOptions } from './child.ts';
import type { ChildStart } from './protocol.ts';
import { startChild } from './start-child.ts';

/**
 * Runs a module in a process of its own and gives back the one result that it sends. The child has an empty
 * environment; it reads its modules and `readable`, writes `writable`, and by Node's permission model starts no
 * process and no worker; where the kernel grants namespaces it has no network and sees no other process. It ends
 * by itself, at a limit, when `signal` aborts (asked first, ended after 5 s), or when this process dies.
 *
 * Throws ChildError. What the child sends is as trustworthy as its input: check it before use.
 */
export async function runChild<Input, Message, Result>(
  options: ChildOptions<Input, Message>,
): Promise<Result> {
  const { module, readable, writable, limits, priority = 'background', input, signal } = options;
  const child = await startChild({ module, readable, writable, limits, priority });
  return child.run<ChildStart<Input>, Message, Result>({
    input: { input, folders: { source: readable[0] ?? '', output: writable } },
    wallMs: limits.wallMs,
    signal,
    onMessage: (message: Message) => options.onMessage(message),
  });
}
