/** Milliseconds of processor time that a call takes; unlike the clock, no busy machine changes it much. */
export function cpuTime(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
