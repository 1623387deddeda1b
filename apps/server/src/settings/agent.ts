import { modelEfforts } from '@offprint/contract';
import { z } from 'zod';
import { integer, type Setting } from './setting.ts';

type Price = Readonly<Record<'input' | 'output' | 'cacheRead' | 'cacheWrite', number>>;

/** Prices by name of a model. The name '' is the model of OFFPRINT_AGENT_MODEL. */
type PriceTable = ReadonlyMap<string, Price>;

/** `3,15` or `model-a=3,15,0.3,3.75;model-b=1,5`. */
function readPrices(text: string, context: z.RefinementCtx): PriceTable {
  const table = new Map<string, Price>();
  for (const entry of text.split(';').filter((part) => part.trim() !== '')) {
    const [, name = '', numbers] = /^(?:\s*([^=\s]+)\s*=)?\s*(\d[\d.,]*)\s*$/.exec(entry) ?? [];
    const price = numbers?.split(',') ?? [];
    if (price.length < 2 || price.length > 4 || !price.every((part) => /^\d+(\.\d+)?$/.test(part))) {
      context.addIssue(
        'must be two to four numbers with commas between, or a table such as model-a=3,15;model-b=1,5',
      );
      return z.NEVER;
    }
    if (table.has(name)) {
      context.addIssue(
        name === '' ? 'has two prices without the name of a model' : `has two prices of ${name}`,
      );
      return z.NEVER;
    }
    const [input = 0, output = 0, cacheRead = input, cacheWrite = input] = price.map(Number);
    table.set(name, { input, output, cacheRead, cacheWrite });
  }
  return table;
}

/** Agent jobs and their model. */
export const agentSettings = {
  agentProvider: {
    name: 'OFFPRINT_AGENT_PROVIDER',
    default: null,
    meaning:
      'Provider of the model of agent jobs: anthropic, openai or openai-compatible (vLLM, Ollama and others). A project can set its own. Unset: projects without their own model cannot run agent jobs.',
    secret: false,
    schema: z
      .enum(['anthropic', 'openai', 'openai-compatible'], 'must be anthropic, openai or openai-compatible')
      .optional(),
  },
  agentModel: {
    name: 'OFFPRINT_AGENT_MODEL',
    default: null,
    meaning: 'Name of the model at its provider.',
    secret: false,
    schema: z.string().min(1).max(200).optional(),
  },
  agentBaseUrl: {
    name: 'OFFPRINT_AGENT_BASE_URL',
    default: null,
    meaning:
      'URL of the model endpoint, such as http://127.0.0.1:11434/v1; required for openai-compatible. Its host can be private. Unset: the URL of the provider.',
    secret: false,
    schema: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).optional(),
  },
  agentApiKey: {
    name: 'OFFPRINT_AGENT_API_KEY',
    default: null,
    meaning: 'API key of the model endpoint. Unset: none is sent.',
    secret: true,
    schema: z.string().min(1).max(4_096).optional(),
  },
  agentContextTokens: {
    name: 'OFFPRINT_AGENT_CONTEXT_TOKENS',
    default: '200000',
    meaning: 'Context window of the model in tokens, input and output together.',
    secret: false,
    schema: integer(8_000, 100_000_000, 'tokens'),
  },
  agentOutputTokens: {
    name: 'OFFPRINT_AGENT_OUTPUT_TOKENS',
    default: '16000',
    meaning: 'Maximum number of tokens in one response of the model.',
    secret: false,
    schema: integer(500, 1_000_000, 'tokens'),
  },
  agentToolMode: {
    name: 'OFFPRINT_AGENT_TOOL_MODE',
    default: 'native',
    meaning:
      'native, or prompted for servers without tool calls: the prompt then describes the tools, and the model calls them in text.',
    secret: false,
    schema: z.enum(['native', 'prompted'], 'must be native or prompted'),
  },
  agentEffort: {
    name: 'OFFPRINT_AGENT_EFFORT',
    default: null,
    meaning:
      'How much the model reasons before it responds: low, medium, high, xhigh or max. Providers reject values that the model does not support. Unset: the default of the provider.',
    secret: false,
    schema: z.enum(modelEfforts, `must be one of ${modelEfforts.join(', ')}`).optional(),
  },
  agentPrices: {
    name: 'OFFPRINT_AGENT_PRICES',
    default: null,
    meaning:
      'US dollars per million tokens: input, output and, optionally, cache reads and cache writes, such as 3,15,0.3,3.75; or a table of prices by model, such as model-a=3,15;model-b=1,5. Unset: costs are neither reported nor limited.',
    secret: false,
    schema: z.string().transform(readPrices).optional(),
  },
  agentConcurrency: {
    name: 'OFFPRINT_AGENT_CONCURRENCY',
    default: '4',
    meaning: 'Maximum number of agent jobs that one worker runs at the same time.',
    secret: false,
    schema: integer(1, 256, 'jobs'),
  },
  maxRunningAgentJobs: {
    name: 'OFFPRINT_MAX_RUNNING_AGENT_JOBS',
    default: '10',
    meaning:
      'Maximum number of agent jobs of one organization that run at the same time, on all workers together; others wait.',
    secret: false,
    schema: integer(1, 100_000, 'jobs'),
  },
  agentProjectJobs: {
    name: 'OFFPRINT_AGENT_PROJECT_JOBS',
    default: '3',
    meaning: 'Maximum number of agent jobs of one project that run at the same time; others wait.',
    secret: false,
    schema: integer(1, 256, 'jobs'),
  },
  agentRepositoryCacheMb: {
    name: 'OFFPRINT_AGENT_REPOSITORY_CACHE_MB',
    default: '10240',
    meaning:
      'Megabytes on the disk of a worker for what agent jobs and exports have fetched of repositories, so that later ones fetch only what is new. Repositories used in the last 24 hours stay, even beyond this limit. 0: each fetches everything.',
    secret: false,
    schema: integer(0, 10_000_000, 'megabytes'),
  },
  agentUsesPerHour: {
    name: 'OFFPRINT_AGENT_USES_PER_HOUR',
    default: '100',
    meaning: 'Maximum number of agent jobs and messages of one project per hour.',
    secret: false,
    schema: integer(1, 1_000_000, 'uses'),
  },
  agentSteps: {
    name: 'OFFPRINT_AGENT_STEPS',
    default: '80',
    meaning: 'Maximum number of model requests in one turn of an agent job.',
    secret: false,
    schema: integer(1, 10_000, 'steps'),
  },
  agentMinutes: {
    name: 'OFFPRINT_AGENT_MINUTES',
    default: '45',
    meaning: 'Maximum duration of one turn of an agent job, in minutes.',
    secret: false,
    schema: integer(1, 1_440, 'minutes'),
  },
  agentTurnInputTokens: {
    name: 'OFFPRINT_AGENT_TURN_INPUT_TOKENS',
    default: '3000000',
    meaning: 'Maximum number of tokens that one turn of an agent job sends to the model.',
    secret: false,
    schema: integer(1_000, 1_000_000_000, 'tokens'),
  },
  agentTurnOutputTokens: {
    name: 'OFFPRINT_AGENT_TURN_OUTPUT_TOKENS',
    default: '150000',
    meaning: 'Maximum number of tokens that the model generates in one turn of an agent job.',
    secret: false,
    schema: integer(1_000, 1_000_000_000, 'tokens'),
  },
  agentCostUsd: {
    name: 'OFFPRINT_AGENT_COST_USD',
    default: '3',
    meaning: 'Maximum cost of one turn of an agent job in US dollars, if prices are known.',
    secret: false,
    schema: z
      .string()
      .regex(/^\d+(\.\d+)?$/, 'must be a number of US dollars')
      .transform(Number),
  },
  agentRetentionDays: {
    name: 'OFFPRINT_AGENT_RETENTION_DAYS',
    default: '30',
    meaning:
      'Days after which the transcript of a finished agent job is deleted; the job itself remains. 0 keeps transcripts permanently.',
    secret: false,
    schema: integer(0, 36_500, 'days'),
  },
} as const satisfies Record<string, Setting>;
