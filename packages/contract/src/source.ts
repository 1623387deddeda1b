import { z } from 'zod';
import { sha256 } from './export.ts';

const httpRepository = /^https?:\/\/(?![^/]*@)[^\s/?#]+\/[^\s?#]+$/;
const sshRepository = /^(?:ssh:\/\/[\w.-]+@[\w.-]+(?::\d{1,5})?\/[^\s?#]+|[\w.-]+@[\w.-]+:(?!\/\/)[^\s?#]+)$/;

const repository = z
  .string()
  .max(2048)
  .refine((text) => httpRepository.test(text) || sshRepository.test(text), {
    message:
      'must be an https, ssh or http URL of a Git repository, without a user name or password in an https or http URL',
  })
  .meta({
    description:
      'Git repository, https or ssh, or http for hosts that the operator allows. Credentials go into `credential`, never into the URL.',
    examples: ['https://github.com/acme/docs.git'],
  });

const branch = z
  .string()
  .min(1)
  .max(255)
  .regex(/^(?!-)(?!.*\.\.)[^\s\p{Cc}~^:?*[\\]+$/u, 'must be the name of a branch')
  .meta({ description: 'Published branch.', examples: ['main'] });

const folder = z
  .string()
  .max(1024)
  .refine((text) => text === '' || /^(?!\/)(?!.*\/$)/.test(text), {
    message: 'must be a relative path without a slash at either end',
  })
  .refine(
    (text) => !/[\\\p{Cc}]/u.test(text) && !text.split('/').some((part) => part === '..' || part === '.'),
    { message: 'must not leave the source' },
  )
  .meta({
    description: 'Folder of the docs below the root of the source; empty for the root.',
    examples: ['docs'],
  });

/** How the server signs in to a Git host. Only sent, never returned. */
export const gitCredential = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('token'),
      username: z
        .string()
        .min(1)
        .max(255)
        .optional()
        .describe('User name for the token. Default: `x-access-token`.'),
      token: z.string().min(1).max(4096).meta({ writeOnly: true }),
    }),
    z.strictObject({
      kind: z.literal('ssh-key'),
      privateKey: z
        .string()
        .min(1)
        .max(16_384)
        .describe('Private key, OpenSSH or PEM.')
        .meta({ writeOnly: true }),
      knownHosts: z
        .string()
        .max(16_384)
        .optional()
        .describe('Lines of a known_hosts file. Default: the keys that the operator configured.'),
    }),
  ])
  .meta({ id: 'GitCredential', examples: [{ kind: 'token', token: 'ghp_example' }] });
export type GitCredential = z.output<typeof gitCredential>;

/** Where the docs of a project come from, as sent. */
export const projectSourceInput = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('git'),
      repository,
      branch: branch.optional().describe('Published branch. Default: the default branch of the repository.'),
      folder: folder.optional(),
      credential: gitCredential
        .nullable()
        .optional()
        .describe(
          'Left out in an update: kept if `repository` stays the same, else removed. Null: removed. Never returned.',
        ),
    }),
    z.strictObject({
      kind: z.literal('upload'),
      folder: folder.optional(),
      starter: z
        .literal(true)
        .optional()
        .describe('Starts with a small example site instead of an empty source. Only for a new project.'),
    }),
    z.strictObject({
      kind: z.literal('folder'),
      path: z
        .string()
        .min(1)
        .max(4096)
        .describe('Absolute path of a folder of the server. Development only.'),
    }),
  ])
  .meta({
    id: 'ProjectSourceRequest',
    examples: [
      { kind: 'git', repository: 'https://github.com/acme/docs.git', branch: 'main', folder: 'docs' },
      { kind: 'upload' },
    ],
  });
export type ProjectSourceInput = z.output<typeof projectSourceInput>;

/** The docs source of a project, in a response. */
export const projectSource = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('git'),
      repository: z.string(),
      branch: z.string().nullable().describe('Null: the default branch of the repository.'),
      folder: z.string(),
      hasCredential: z.boolean().describe('Whether a credential is stored.'),
    }),
    z.object({
      kind: z.literal('upload'),
      folder: z.string(),
      sha256: sha256
        .nullable()
        .describe('SHA-256 of the last uploaded archive; null before the first upload.'),
    }),
    z.object({ kind: z.literal('folder'), path: z.string() }),
  ])
  .meta({ id: 'ProjectSource' });
export type ProjectSource = z.output<typeof projectSource>;

/** Response of `POST /v1/projects/{id}/deploy-key`. */
export const deployKey = z
  .object({
    publicKey: z.string().describe('Public key on one line, to enter at the forge as a deploy key.'),
  })
  .meta({
    id: 'DeployKey',
    examples: [
      {
        publicKey:
          'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl offprint',
      },
    ],
  });
export type DeployKey = z.output<typeof deployKey>;

/** Response of `PUT /v1/projects/{id}/source`. */
export const sourceUpload = z
  .object({
    sha256: sha256.describe('SHA-256 of the archive.'),
    sizeBytes: z.int().min(0).describe('Bytes of the archive.'),
    files: z.int().min(0).describe('Files in the archive.'),
  })
  .meta({
    id: 'SourceUpload',
    examples: [
      {
        sha256: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
        sizeBytes: 524_288,
        files: 212,
      },
    ],
  });
export type SourceUpload = z.output<typeof sourceUpload>;
