import { z } from 'zod';

/** What came of a request to the model of a project. */
export const agentModelTest = z
  .object({
    outcome: z
      .enum(['passed', 'failed'])
      .describe('`passed`: the model called the tool that it was asked to call. Agent jobs need this.'),
    message: z.string().describe('Result in one or two sentences; the error and its solution if it failed.'),
    model: z.string().describe('Name of the model at its provider.'),
    host: z.string().describe('Host to which the request was sent.'),
    milliseconds: z.int().min(0).describe('Duration of the request.'),
    inputTokens: z.int().min(0).nullable().describe('Null: the server reported none, or the request failed.'),
    outputTokens: z
      .int()
      .min(0)
      .nullable()
      .describe('Null: the server reported none, or the request failed.'),
  })
  .meta({
    id: 'AgentModelTest',
    examples: [
      {
        outcome: 'passed',
        message: 'The model responded in 1.4 s and called a tool.',
        model: 'claude-sonnet-4-5',
        host: 'api.anthropic.com',
        milliseconds: 1_412,
        inputTokens: 412,
        outputTokens: 58,
      },
    ],
  });
export type AgentModelTest = z.output<typeof agentModelTest>;
