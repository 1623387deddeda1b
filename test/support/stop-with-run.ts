/** Set-up of Vitest: a test process ends when the run that started it is killed, and with it what the tests started. */
if (process.listenerCount('disconnect') === 0)
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
