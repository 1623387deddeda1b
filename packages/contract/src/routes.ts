import { accountRoutes } from './account-routes.ts';
import { agentRoutes } from './agent-routes.ts';
import { exportRoutes } from './export-routes.ts';
import { healthRoutes } from './health-routes.ts';
import { projectRoutes } from './project-routes.ts';

/** Every call of the API by operation id, in the order of the reference. */
export const routes = {
  ...exportRoutes,
  ...agentRoutes,
  ...projectRoutes,
  ...accountRoutes,
  ...healthRoutes,
};

export type OperationId = keyof typeof routes;
