import { z } from 'zod';
import { basePath, basePathInput } from './base-path.ts';
import { domain, domainInput } from './domain.ts';
import { deploymentType } from './feature.ts';
import { idSchema } from './id.ts';
import { listOf, listQuery } from './list.ts';
import { projectSource, projectSourceInput } from './source.ts';
import { timestamp } from './timestamp.ts';

const name = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters')
  .describe('Display name of the project.');
const domains = z.array(domainInput).max(50).describe('Host names on which the project is published.');

/** Body of `POST /v1/projects`. */
export const createProjectBody = z
  .strictObject({
    name,
    source: projectSourceInput,
    domains: domains.optional(),
    basePath: basePathInput.optional(),
    deploymentType: deploymentType.optional(),
  })
  .meta({
    id: 'CreateProjectRequest',
    examples: [
      {
        name: 'Acme docs',
        source: { kind: 'git', repository: 'https://github.com/acme/docs.git' },
        domains: ['docs.example.com'],
      },
    ],
  });
export type CreateProjectBody = z.input<typeof createProjectBody>;

/** Body of `PATCH /v1/projects/{id}`: what is left out stays; `source` and `domains` are replaced whole. */
export const updateProjectBody = z
  .strictObject({
    name: name.optional(),
    source: projectSourceInput.optional(),
    domains: domains.optional(),
    basePath: basePathInput.optional(),
    deploymentType: deploymentType.optional(),
  })
  .meta({ id: 'UpdateProjectRequest', examples: [{ domains: ['docs.example.com', 'docs.example.org'] }] });
export type UpdateProjectBody = z.input<typeof updateProjectBody>;

/** A docs source with the domains it publishes on. */
export const project = z
  .object({
    id: idSchema('project', 'Id of the project.'),
    name: z.string(),
    source: projectSource,
    domains: z.array(domain),
    basePath,
    deploymentType,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({
    id: 'Project',
    examples: [
      {
        id: 'prj_0a1b2c3d4e5f60718293a4b5c6d7e8f9',
        name: 'Acme docs',
        source: {
          kind: 'git',
          repository: 'https://github.com/acme/docs.git',
          branch: null,
          folder: '',
          hasCredential: false,
        },
        domains: ['docs.example.com'],
        basePath: '',
        deploymentType: 'cloud',
        createdAt: '2026-06-01T12:00:00.000Z',
        updatedAt: '2026-06-01T12:00:00.000Z',
      },
    ],
  });
export type Project = z.output<typeof project>;

/** Query of `GET /v1/projects`. */
export const listProjectsQuery = z.strictObject(listQuery);
export const projectList = listOf(project).meta({ id: 'ProjectList' });
export type ProjectList = z.output<typeof projectList>;
