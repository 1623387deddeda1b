import { z } from 'zod';
import { connectionTest, testConnectionBody } from './connection.ts';
import { projectFeatures, updateProjectFeaturesBody } from './feature.ts';
import { idParam } from './id.ts';
import { createProjectBody, listProjectsQuery, project, projectList, updateProjectBody } from './project.ts';
import {
  defineRoute,
  errorResponses,
  idempotencyErrors,
  jsonErrors,
  keyErrors,
  organizationErrors,
} from './route.ts';
import { deployKey, sourceUpload } from './source.ts';

const tag = 'Projects';
const params = z.strictObject({ projectId: idParam('Id of the project.') });

export const projectRoutes = {
  createProject: defineRoute({
    operationId: 'createProject',
    method: 'POST',
    path: '/v1/projects',
    tag,
    summary: 'Create a project',
    description:
      'Connects a docs source: a Git repository, an uploaded archive or (development only) a folder.',
    scope: 'projects:write',
    role: 'editor',
    body: createProjectBody,
    idempotent: true,
    responses: {
      201: { description: 'The project.', schema: project, headers: ['Location', 'Idempotent-Replay'] },
      ...errorResponses(...organizationErrors, ...jsonErrors, 'domain_taken', ...idempotencyErrors),
    },
  }),
  listProjects: defineRoute({
    operationId: 'listProjects',
    method: 'GET',
    path: '/v1/projects',
    tag,
    summary: 'List projects',
    description: "The organization's projects, newest first.",
    scope: 'projects:read',
    limitedKeys: 'filtered',
    role: 'viewer',
    query: listProjectsQuery,
    responses: {
      200: { description: 'One page of projects.', schema: projectList },
      ...errorResponses(...keyErrors),
    },
  }),
  getProject: defineRoute({
    operationId: 'getProject',
    method: 'GET',
    path: '/v1/projects/{projectId}',
    tag,
    summary: 'Get a project',
    description: 'A project with its source and domains. Credentials are never returned.',
    scope: 'projects:read',
    role: 'viewer',
    params,
    responses: {
      200: { description: 'The project.', schema: project },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
  updateProject: defineRoute({
    operationId: 'updateProject',
    method: 'PATCH',
    path: '/v1/projects/{projectId}',
    tag,
    summary: 'Update a project',
    description: 'Changes the fields that are sent. `source` and `domains` are replaced whole.',
    scope: 'projects:write',
    role: 'editor',
    params,
    body: updateProjectBody,
    responses: {
      200: { description: 'The project.', schema: project },
      ...errorResponses(...keyErrors, ...jsonErrors, 'not_found', 'domain_taken'),
    },
  }),
  deleteProject: defineRoute({
    operationId: 'deleteProject',
    method: 'DELETE',
    path: '/v1/projects/{projectId}',
    tag,
    summary: 'Delete a project',
    description:
      'Deletes a project with its domains, deployments, agent jobs, analytics and conversations. The platform stops serving its site. Its exports remain until they are deleted.',
    scope: 'projects:write',
    role: 'admin',
    params,
    responses: {
      204: { description: 'Deleted.' },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
  putProjectSource: defineRoute({
    operationId: 'putProjectSource',
    method: 'PUT',
    path: '/v1/projects/{projectId}/source',
    tag,
    summary: 'Upload the docs of a project',
    description:
      'Replaces the docs of a project with source kind `upload` by a tar.gz of the docs folder. One folder around everything is tolerated. Links and device files are refused.',
    scope: 'projects:write',
    role: 'editor',
    params,
    bytes: ['application/gzip', 'application/x-gzip', 'application/octet-stream'],
    responses: {
      200: { description: 'The stored archive.', schema: sourceUpload },
      ...errorResponses(
        ...keyErrors,
        'invalid_archive',
        'body_too_large',
        'unsupported_media_type',
        'not_found',
        'source_kind_mismatch',
      ),
    },
  }),
  createDeployKey: defineRoute({
    operationId: 'createDeployKey',
    method: 'POST',
    path: '/v1/projects/{projectId}/deploy-key',
    tag,
    summary: 'Create a deploy key',
    description:
      'Creates an SSH key pair for a repository with an ssh URL. The private key becomes the stored credential of the project and never leaves the server. It replaces an earlier credential.',
    scope: 'projects:write',
    role: 'editor',
    params,
    responses: {
      201: { description: 'The public key.', schema: deployKey },
      ...errorResponses(...keyErrors, ...jsonErrors, 'not_found', 'source_kind_mismatch'),
    },
  }),
  getProjectFeatures: defineRoute({
    operationId: 'getProjectFeatures',
    method: 'GET',
    path: '/v1/projects/{projectId}/features',
    tag,
    summary: 'Get the features of a project',
    description:
      'Status of each feature for the deployment type of the project and the plan of the organization, whether exports include it without a service, and the reason.',
    scope: 'projects:read',
    role: 'viewer',
    params,
    responses: {
      200: { description: 'The features.', schema: projectFeatures },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
  updateProjectFeatures: defineRoute({
    operationId: 'updateProjectFeatures',
    method: 'PUT',
    path: '/v1/projects/{projectId}/features',
    tag,
    summary: 'Switch features of a project',
    description:
      'Switches configurable features: search, and others that the installation provides. A request for another feature is rejected with its name. Applies from the next export on.',
    scope: 'projects:write',
    role: 'editor',
    params,
    body: updateProjectFeaturesBody,
    responses: {
      200: { description: 'The features.', schema: projectFeatures },
      ...errorResponses(...keyErrors, ...jsonErrors, 'not_found'),
    },
  }),
  testConnection: defineRoute({
    operationId: 'testConnection',
    method: 'POST',
    path: '/v1/connection-tests',
    maxSeconds: 300,
    tag,
    summary: 'Test the connection to a source',
    description:
      'Tests a source step by step before a project uses it, and reports errors with their solutions. Stores nothing.',
    scope: 'projects:write',
    limitedKeys: 'filtered',
    role: 'editor',
    body: testConnectionBody,
    responses: {
      200: { description: 'The results of the steps.', schema: connectionTest },
      ...errorResponses(...keyErrors, ...jsonErrors, 'not_found'),
    },
  }),
};
