import { agentRoutes } from './agent-routes.ts';
import { analyticsRoutes } from './analytics-routes.ts';
import { assistantRoutes } from './assistant-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import { automationRoutes } from './automation-routes.ts';
import { deploymentRoutes } from './deployment-routes.ts';
import { discoveryRoutes } from './discovery-routes.ts';
import { domainVerificationRoutes } from './domain-verification-routes.ts';
import { exportRoutes } from './export-routes.ts';
import { healthRoutes } from './health-routes.ts';
import { keyRoutes } from './key-routes.ts';
import { notificationRoutes } from './notification-routes.ts';
import { operatorRoutes } from './operator-routes.ts';
import { organizationRoutes } from './organization-routes.ts';
import { projectRoutes } from './project-routes.ts';
import { readerAccessRoutes } from './reader-access-routes.ts';
import { sessionRoutes } from './session-routes.ts';

/** Every operation of the API by operation id, in the order of the reference. */
export const routes = {
  ...exportRoutes,
  ...deploymentRoutes,
  ...discoveryRoutes,
  ...agentRoutes,
  ...assistantRoutes,
  ...projectRoutes,
  ...domainVerificationRoutes,
  ...automationRoutes,
  ...notificationRoutes,
  ...readerAccessRoutes,
  ...analyticsRoutes,
  ...organizationRoutes,
  ...keyRoutes,
  ...auditRoutes,
  ...sessionRoutes,
  ...operatorRoutes,
  ...healthRoutes,
};

export type OperationId = keyof typeof routes;
