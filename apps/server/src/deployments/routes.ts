import { type Hosting, routes } from '@offprint/contract';
import { changesBetween } from '../platform/http/changes.ts';
import { type HandledRoute, handle } from '../platform/http/route.ts';
import type { DeploymentService } from './service.ts';

export function deploymentRoutes(deployments: DeploymentService): HandledRoute[] {
  const targetOf = (organizationId: string, params: { projectId: string; deploymentId: string }) => ({
    organizationId,
    projectId: params.projectId,
    id: params.deploymentId,
  });
  return [
    handle(routes.triggerUpdate, async ({ principal, params, target, header }) =>
      withTarget(
        await deployments.update(params.projectId, { principal, key: header('Idempotency-Key'), target }),
      ),
    ),
    handle(routes.triggerPreview, async ({ principal, params, body, target, header }) =>
      withTarget(
        await deployments.preview(params.projectId, body.branch, {
          principal,
          key: header('Idempotency-Key'),
          target,
        }),
      ),
    ),
    handle(routes.getUpdateStatus, async ({ principal, params }) => ({
      status: 200,
      body: await deployments.status(principal, params.statusId),
    })),
    handle(routes.listDeployments, async ({ principal, params, query }) => ({
      status: 200,
      body: await deployments.list(principal.organizationId, params.projectId, query),
    })),
    handle(routes.getDeployment, async ({ principal, params }) => ({
      status: 200,
      body: await deployments.read(targetOf(principal.organizationId, params)),
    })),
    handle(routes.promoteDeployment, async ({ principal, params, body }) => ({
      status: 200,
      body: await deployments.promote(targetOf(principal.organizationId, params), body, principal.name),
      act: { target: params.deploymentId },
    })),
    handle(routes.approveDeployment, async ({ principal, params }) => ({
      status: 200,
      body: await deployments.approve(targetOf(principal.organizationId, params), principal.name),
      act: { target: params.deploymentId },
    })),
    handle(routes.deleteDeployment, async ({ principal, params }) => {
      await deployments.delete(targetOf(principal.organizationId, params));
      return { status: 204 };
    }),
    handle(routes.getHosting, async ({ principal, params }) => ({
      status: 200,
      body: await deployments.readHosting(principal.organizationId, params.projectId),
    })),
    handle(routes.updateHosting, async ({ principal, params, body }) => {
      const { organizationId } = principal;
      const before = await deployments.readHosting(organizationId, params.projectId);
      const after = await deployments.updateHosting(organizationId, params.projectId, body);
      return {
        status: 200,
        body: after,
        act: { changes: changesBetween(settingsOf(before), settingsOf(after)) },
      };
    }),
  ];
}

/** What the request sets; the rest changes by itself. */
const settingsOf = ({ enabled, previews }: Hosting) => ({ enabled, previews });

/** The audit event of a request names the deployment that it has queued. */
function withTarget<Reply extends { body: unknown }>(reply: Reply): Reply & { act?: { target: string } } {
  const { body } = reply;
  const id = typeof body === 'object' && body !== null && 'statusId' in body ? body.statusId : undefined;
  return typeof id === 'string' ? { ...reply, act: { target: id } } : reply;
}
