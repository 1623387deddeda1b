import { z } from 'zod';
import {
  addDomainBody,
  listDomainsQuery,
  siteDomain,
  siteDomainList,
  updateDomainBody,
} from './domain-verification.ts';
import { idParam } from './id.ts';
import { defineRoute, errorResponses, jsonErrors, keyErrors } from './route.ts';

const tag = 'Domains';
const projectParams = z.strictObject({ projectId: idParam('Id of the project.') });
const params = z.strictObject({
  projectId: idParam('Id of the project.'),
  domainId: idParam('Id of the domain.'),
});
const path = '/v1/projects/{projectId}/domains';

export const domainVerificationRoutes = {
  listDomains: defineRoute({
    operationId: 'listDomains',
    method: 'GET',
    path,
    tag,
    summary: 'List domains of a project',
    description: 'The hosts on which the site of the project is served, or is to be served; newest first.',
    scope: 'projects:read',
    role: 'viewer',
    params: projectParams,
    query: listDomainsQuery,
    responses: {
      200: { description: 'One page of domains.', schema: siteDomainList },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
  addDomain: defineRoute({
    operationId: 'addDomain',
    method: 'POST',
    path,
    tag,
    summary: 'Add a domain to a project',
    description:
      'Claims a domain. It is served after it is verified, by a TXT record or a file. Several organizations may claim a domain; the first one that is verified owns it.',
    scope: 'projects:write',
    role: 'editor',
    params: projectParams,
    body: addDomainBody,
    responses: {
      201: { description: 'The domain.', schema: siteDomain },
      ...errorResponses(...keyErrors, ...jsonErrors, 'not_found', 'domain_taken', 'domain_refused'),
    },
  }),
  getDomain: defineRoute({
    operationId: 'getDomain',
    method: 'GET',
    path: `${path}/{domainId}`,
    tag,
    summary: 'Get a domain',
    description: 'The domain with the record that verifies it, what the last check found, and the next step.',
    scope: 'projects:read',
    role: 'viewer',
    params,
    responses: {
      200: { description: 'The domain.', schema: siteDomain },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
  updateDomain: defineRoute({
    operationId: 'updateDomain',
    method: 'PATCH',
    path: `${path}/{domainId}`,
    tag,
    summary: 'Set the redirect of a domain',
    description: 'Redirects the domain to another domain of the project, or serves the site on it again.',
    scope: 'projects:write',
    role: 'editor',
    params,
    body: updateDomainBody,
    responses: {
      200: { description: 'The domain.', schema: siteDomain },
      ...errorResponses(...keyErrors, ...jsonErrors, 'not_found'),
    },
  }),
  checkDomain: defineRoute({
    operationId: 'checkDomain',
    method: 'POST',
    path: `${path}/{domainId}/check`,
    tag,
    summary: 'Check a domain now',
    description:
      'Looks up the record and, without it, the file. Repeats a failed order of a certificate. A domain that was checked in the last 5 seconds is not checked again.',
    scope: 'projects:write',
    role: 'editor',
    params,
    responses: {
      200: { description: 'The domain after the check.', schema: siteDomain },
      ...errorResponses(...keyErrors, ...jsonErrors, 'not_found'),
    },
  }),
  releaseDomain: defineRoute({
    operationId: 'releaseDomain',
    method: 'DELETE',
    path: `${path}/{domainId}`,
    tag,
    summary: 'Release a domain',
    description:
      'Removes the domain from the project and from service, with its certificate. Another organization can then claim it.',
    scope: 'projects:write',
    role: 'admin',
    params,
    responses: {
      204: { description: 'Released.' },
      ...errorResponses(...keyErrors, 'not_found'),
    },
  }),
};
