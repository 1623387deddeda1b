import { routes } from '@offprint/contract';
import { changesBetween } from '../platform/http/changes.ts';
import { type HandledRoute, handle } from '../platform/http/route.ts';
import type { ProjectService, TestConnection } from './service.ts';

export function projectRoutes(projects: ProjectService, testConnection: TestConnection): HandledRoute[] {
  return [
    handle(routes.createProject, ({ principal, body, target, header }) =>
      projects.create(principal.organizationId, body, { key: header('Idempotency-Key'), route: target }),
    ),
    handle(routes.listProjects, async ({ principal, query }) => ({
      status: 200,
      body: await projects.list(principal, query),
    })),
    handle(routes.getProject, async ({ principal, params }) => ({
      status: 200,
      body: await projects.read(principal.organizationId, params.projectId),
    })),
    handle(routes.updateProject, async ({ principal, params, body }) => {
      const { organizationId } = principal;
      const { before, project } = await projects.update(organizationId, params.projectId, body);
      return { status: 200, body: project, act: { changes: changesBetween(before, project, body) } };
    }),
    handle(routes.deleteProject, async ({ principal, params }) => {
      await projects.delete(principal.organizationId, params.projectId);
      return { status: 204 };
    }),
    handle(routes.putProjectSource, async ({ principal, params, bytes }) => ({
      status: 200,
      body: await projects.putSource(principal.organizationId, params.projectId, bytes),
    })),
    handle(routes.createDeployKey, async ({ principal, params }) => ({
      status: 201,
      body: await projects.createDeployKey(principal.organizationId, params.projectId),
    })),
    handle(routes.testConnection, async ({ principal, body, signal }) => ({
      status: 200,
      body: await testConnection(principal, body, signal),
    })),
    handle(routes.getProjectFeatures, async ({ principal, params }) => ({
      status: 200,
      body: await projects.features(principal.organizationId, params.projectId),
    })),
    handle(routes.updateProjectFeatures, async ({ principal, params, body }) => {
      const { organizationId } = principal;
      const { before, after, features } = await projects.updateFeatures(
        organizationId,
        params.projectId,
        body,
      );
      return { status: 200, body: features, act: { changes: changesBetween(before, after) } };
    }),
  ];
}
