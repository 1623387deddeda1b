import { z } from 'zod';
import { endpoint, headerSecret, kept, modelName, modelServer } from './endpoint.ts';
import { timestamp } from './timestamp.ts';

const provider = z
  .enum(['anthropic', 'openai', 'openai-compatible'])
  .describe('`openai-compatible`: vLLM, Ollama and others.');
/** How much a model reasons before it responds, from least to most. */
export const modelEfforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
const effort = z.enum(modelEfforts).nullable();
const price = z.object({
  input: z.number().min(0),
  output: z.number().min(0),
  cacheRead: z.number().min(0),
  cacheWrite: z.number().min(0),
});

const modelInput = z
  .strictObject({
    provider,
    ...modelServer,
    contextWindow: z
      .int()
      .min(8_000)
      .max(100_000_000)
      .default(200_000)
      .describe('Context window in tokens, input and output together.'),
    maxOutput: z
      .int()
      .min(500)
      .max(1_000_000)
      .default(16_000)
      .describe('Maximum number of tokens in one response.'),
    toolMode: z
      .enum(['native', 'prompted'])
      .default('native')
      .describe('`prompted` for servers without tool calls: tools are described and called in text.'),
    effort: effort
      .optional()
      .describe(
        'How much the model reasons before it responds. Providers reject values that the model does not support. Null: the default of the provider.',
      ),
    price: z
      .strictObject({
        input: z.number().min(0).max(100_000),
        output: z.number().min(0).max(100_000),
        cacheRead: z.number().min(0).max(100_000).optional().describe('Default: as input.'),
        cacheWrite: z.number().min(0).max(100_000).optional().describe('Default: as input.'),
      })
      .nullable()
      .optional()
      .describe(
        'US dollars per million tokens. Null: the price that the operator configured for this model, if any.',
      ),
  })
  .refine((model) => model.provider !== 'openai-compatible' || (model.baseUrl ?? null) !== null, {
    path: ['baseUrl'],
    message: 'must be set for openai-compatible',
  })
  .refine((model) => model.maxOutput < model.contextWindow, {
    path: ['maxOutput'],
    message: 'must be less than contextWindow',
  });

const apiUrl = endpoint
  .nullable()
  .optional()
  .describe(
    'URL of its API, such as https://github.example.com/api/v3. Null: derived from the host of the repository.',
  );
const token = headerSecret.describe(kept('kind, address and account')).meta({ writeOnly: true });
const digits = z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, 'must be 1 to 64 letters, digits, dots or dashes');

const forgeInput = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('github'),
    apiUrl,
    token,
    appId: digits.optional().describe('Id of a GitHub App, instead of a token.'),
    installationId: digits.optional().describe('Id of its installation.'),
    privateKey: z
      .string()
      .min(1)
      .max(16_384)
      .regex(
        /^\s*-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]+-----END [A-Z ]*PRIVATE KEY-----\s*$/,
        'must be PEM',
      )
      .nullable()
      .optional()
      .describe(`Private key of the App, PEM. ${kept('kind, address and account')}`)
      .meta({ writeOnly: true }),
  }),
  z.strictObject({ kind: z.literal('gitlab'), apiUrl, token }),
  z.strictObject({
    kind: z.literal('gitea'),
    apiUrl,
    token,
    username: z
      .string()
      .min(1)
      .max(255)
      .regex(/^[^\s\p{Cc}]+$/u, 'must be the name of an account')
      .describe('Account of the token. Gitea and Forgejo.'),
  }),
  z.strictObject({ kind: z.literal('git') }),
]);

/** Body of `PUT /v1/projects/{projectId}/agent`: replaces the settings whole, secrets excepted. */
export const updateAgentSettingsBody = z
  .strictObject({
    model: modelInput
      .nullable()
      .optional()
      .describe('Model of this project. Null or omitted: the model of the installation.'),
    forge: forgeInput
      .nullable()
      .optional()
      .describe(
        'Where pull requests are opened. Null or omitted: derived from the host of the repository and the credential of the project. `git`: a branch is pushed without a pull request.',
      ),
    instructions: z
      .string()
      .max(32_000)
      .default('')
      .describe('Instructions for the agent, in addition to those in the repository.'),
    writeAllow: z
      .array(
        z
          .string()
          .min(1)
          .max(200)
          .regex(
            /^(?![/!])(?!.*(?:^|\/)\.\.?(?:\/|$))[^\\\p{Cc}()|+!]+$/u,
            'must be a glob below the docs folder',
          ),
      )
      .max(50)
      .default([])
      .describe(
        'Globs below the docs folder for scripts, style sheets, HTML and text files (js, jsx, ts, tsx, css, html, txt, csv) that the agent may write beside pages, docs.json, API descriptions and images. It never writes CI files, files of Git, build files and instructions for agents. If the docs folder is the root of the repository, a file at the root must be named without wildcards.',
      ),
    branchPrefix: z
      .string()
      .min(1)
      .max(100)
      .regex(
        /^(?![-/.])(?!.*(?:\.\.|\/\/|\/\.|@\{|\.lock\/))[^\s\p{Cc}~^:?*[\\]+$/u,
        'must be the start of the name of a branch',
      )
      .default('offprint/')
      .describe('Prefix of the branches that the agent creates.'),
  })
  .superRefine(({ forge }, context) => {
    if (forge?.kind !== 'github') return;
    const isApp = forge.appId !== undefined || forge.installationId !== undefined;
    const fault = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: ['forge', field], message });
    if (isApp && forge.appId === undefined) fault('appId', 'must be set beside installationId');
    if (isApp && forge.installationId === undefined) fault('installationId', 'must be set beside appId');
    if (isApp && typeof forge.token === 'string') fault('token', 'must be omitted for a GitHub App');
    if (!isApp && typeof forge.privateKey === 'string') fault('appId', 'must be set beside privateKey');
  })
  .meta({
    id: 'UpdateAgentSettingsRequest',
    examples: [
      {
        model: { provider: 'anthropic', model: 'claude-sonnet-4-5', apiKey: 'sk-ant-example' },
        forge: { kind: 'github', token: 'ghp_example' },
        instructions: 'Write in British English.',
      },
      {
        model: {
          provider: 'openai-compatible',
          model: 'qwen3-32b',
          baseUrl: 'https://models.example.com/v1',
          contextWindow: 32_000,
          maxOutput: 4_000,
        },
      },
    ],
  });
export type UpdateAgentSettingsBody = z.input<typeof updateAgentSettingsBody>;

/** Settings of the agent of a project. Secrets are never returned. */
export const agentSettings = z
  .object({
    isReady: z.boolean().describe('Whether a job can be created.'),
    reason: z
      .string()
      .nullable()
      .describe('Missing requirement if the agent is not ready, and who can change it.'),
    usesModel: z
      .string()
      .nullable()
      .describe('Name of the model for new jobs, from the project or the installation.'),
    usesPrice: price
      .nullable()
      .describe(
        'Price of this model in US dollars per million tokens, from the project or the installation. Null: unknown; costs are neither reported nor limited.',
      ),
    model: z
      .object({
        provider,
        model: modelName,
        baseUrl: z.string().nullable(),
        contextWindow: z.int(),
        maxOutput: z.int(),
        toolMode: z.enum(['native', 'prompted']),
        effort,
        price: price.nullable(),
        hasApiKey: z.boolean().describe('Whether a key is stored.'),
      })
      .nullable()
      .describe('Model of this project; null: the model of the installation.'),
    forge: z
      .object({
        kind: z.enum(['github', 'gitlab', 'gitea', 'git']),
        apiUrl: z.string().nullable(),
        appId: z.string().nullable(),
        installationId: z.string().nullable(),
        username: z.string().nullable(),
        hasSecret: z.boolean().describe('Whether a token or private key is stored for this repository host.'),
      })
      .nullable()
      .describe('Null: derived from the host of the repository and the credential of the project.'),
    instructions: z.string(),
    writeAllow: z.array(z.string()),
    docsAtRepositoryRoot: z
      .boolean()
      .describe(
        'Whether the docs folder is the root of the repository. The agent then works beside the files of CI systems, build tools and other agents, which it cannot write.',
      ),
    branchPrefix: z.string(),
    updatedAt: timestamp.nullable().describe('Null: never set.'),
  })
  .meta({
    id: 'AgentSettings',
    examples: [
      {
        isReady: true,
        reason: null,
        usesModel: 'claude-sonnet-4-5',
        usesPrice: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
        model: {
          provider: 'anthropic',
          model: 'claude-sonnet-4-5',
          baseUrl: null,
          contextWindow: 200_000,
          maxOutput: 16_000,
          toolMode: 'native',
          effort: 'medium',
          price: null,
          hasApiKey: true,
        },
        forge: {
          kind: 'github',
          apiUrl: null,
          appId: null,
          installationId: null,
          username: null,
          hasSecret: true,
        },
        instructions: 'Write in British English.',
        writeAllow: [],
        docsAtRepositoryRoot: false,
        branchPrefix: 'offprint/',
        updatedAt: '2026-06-01T12:00:00.000Z',
      },
    ],
  });
export type AgentSettings = z.output<typeof agentSettings>;
