import type { FastifyInstance } from 'fastify';

/** Whether the server is about to close. */
export interface Drain {
  isDraining(): boolean;
  /** From now on, each response asks its client to use another connection. */
  start(): void;
}

/** Prepares a server to lose its clients to other processes before it closes. */
export function createDrain(app: FastifyInstance): Drain {
  let draining = false;
  app.addHook('onRequest', async (_request, reply) => {
    if (draining) reply.header('Connection', 'close');
  });
  return {
    isDraining: () => draining,
    start() {
      draining = true;
    },
  };
}
