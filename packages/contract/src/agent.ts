import { z } from 'zod';
import { idSchema } from './id.ts';
import { listOf, listQuery } from './list.ts';
import { timestamp } from './timestamp.ts';

const exampleJobId = 'job_7d1e0c3b5a294f68871d2e3f405162a7';

/** Most characters of a prompt. */
const PROMPT_CHARACTERS = 64_000;

/** States of an agent job. Only `active` changes by itself; a message makes `completed` and `failed` active again. */
export const agentJobStatus = z
  .enum(['active', 'completed', 'archived', 'failed'])
  .describe('State of the job. Poll until it is `completed`, `archived` or `failed`.');
export type AgentJobStatus = z.output<typeof agentJobStatus>;

const prompt = z
  .string()
  .min(1)
  // Characters, where the length of a string counts the halves of some.
  .refine((text) => text.length <= PROMPT_CHARACTERS || [...text].length <= PROMPT_CHARACTERS, {
    message: `must have at most ${PROMPT_CHARACTERS} characters`,
  })
  .refine((text) => text.trim() !== '', { message: 'must say what to do' })
  .meta({ maxLength: PROMPT_CHARACTERS });

/** A branch by the rules of git-check-ref-format. */
const branchName = z
  .string()
  .min(1)
  .max(255)
  .regex(
    /^(?![-/.]|@$)(?!.*(?:\.\.|\/\/|\/\.|@\{|\.lock(?:\/|$)|[/.]$))[^\s\p{Cc}~^:?*[\\]+$/u,
    'must be the name of a branch',
  );

/** Body of `POST /v2/agent/{projectId}/job`. */
export const createAgentJobBody = z
  .strictObject({
    prompt: prompt.describe('Task for the agent, 1 to 64,000 characters.'),
    branch: branchName
      .optional()
      .describe('Branch to push the changes to. Default: generated from the title and the id.'),
    baseBranch: branchName
      .optional()
      .describe(
        'Branch from which the job starts, and target of the pull request. Default: the published branch.',
      ),
    draft: z.boolean().optional().describe('Whether the pull request is opened as a draft. Default: false.'),
    model: z
      .string()
      .min(1)
      .max(200)
      .regex(/^[^\p{Cc}]+$/u, 'must not contain control characters')
      .optional()
      .describe('Model to use, by its name at the provider. Default: the configured model.'),
  })
  .meta({
    id: 'CreateAgentJobRequest',
    examples: [
      { prompt: 'Add a page that explains rate limits and link it from the quickstart.' },
      { prompt: 'Fix the broken links.', baseBranch: 'main', draft: true },
    ],
  });
export type CreateAgentJobBody = z.input<typeof createAgentJobBody>;

/** Body of `POST /v2/agent/{projectId}/job/{id}/message`. */
export const sendAgentMessageBody = z
  .strictObject({ prompt: prompt.describe('Next task for the agent, 1 to 64,000 characters.') })
  .meta({ id: 'SendAgentMessageRequest', examples: [{ prompt: 'Shorten the section on retries.' }] });
export type SendAgentMessageBody = z.input<typeof sendAgentMessageBody>;

/** A step of the agent's plan. */
export const agentTodo = z.object({
  id: z.string(),
  text: z.string(),
  status: z.enum(['pending', 'in_progress', 'completed']),
});
export type AgentTodo = z.output<typeof agentTodo>;

const reason = z.object({
  code: z.string().describe('Stable code of the reason.'),
  message: z.string().describe('One sentence that states the error and how to fix it.'),
});

/** A new problem in the docs that the check of a job found. */
export const agentFinding = z.object({
  file: z.string().describe('File below the docs folder.'),
  line: z.int().min(1).nullable(),
  code: z.string().describe('Stable code of the kind of finding.'),
  message: z.string(),
  severity: z.enum(['error', 'warning', 'info']),
  url: z.url().nullable().describe('The place at the forge, on the branch of the job; null if not known.'),
});
export type AgentFinding = z.output<typeof agentFinding>;

/** An agent job. `prLink` is null while it is active and when no file was changed. */
export const agentJob = z
  .object({
    id: idSchema('agentJob', 'Id of the job.'),
    status: agentJobStatus,
    source: z.object({
      repository: z.string().describe('URL of the Git repository.'),
      ref: z.string().nullable().describe('Branch of the job; null until it was pushed.'),
    }),
    model: z.string().describe('Model that the job uses.'),
    prLink: z
      .url()
      .nullable()
      .describe('Pull request of the job; null while the job is active, and if no file was changed.'),
    createdAt: timestamp,
    archivedAt: timestamp.nullable(),
    title: z.string().describe('Title of the pull request; before it exists, the start of the prompt.'),
    summary: z
      .string()
      .nullable()
      .describe(
        'Final message of the agent in the last turn; null while the job is active and before the first turn ends.',
      ),
    needsInput: z.string().nullable().describe('Question of the agent to the user; null: none.'),
    failure: reason.nullable().describe('Why the job failed; null if it did not fail.'),
    stopped: reason
      .nullable()
      .describe(
        'Why the last turn ended early, with its changes published as a draft; null if it did not end early.',
      ),
    heldCode: z
      .array(
        z.object({
          path: z.string().describe('File below the docs folder; empty if it concerns all changes.'),
          line: z.int().nullable(),
          message: z.string().describe('What the code is.'),
        }),
      )
      .describe(
        'New code in the changes that would run in the browsers of readers. While there is any, the pull request is opened as a draft: review the code, then mark the pull request as ready.',
      ),
    todos: z.array(agentTodo).describe('Plan of the agent.'),
    checks: z
      .object({
        status: z
          .enum(['checked', 'not_checked'])
          .describe('`not_checked`: the check had no result, so the quality of the changes is unknown.'),
        reason: z.string().nullable().describe('Why the check had no result; null when it had one.'),
        new: z.int().min(0).describe('Findings that the changes add; 0 when not checked.'),
        fixed: z.int().min(0).describe('Findings that the changes remove; 0 when not checked.'),
      })
      .nullable()
      .describe('Findings compared with the check before the changes; null until the check ran.'),
    findings: z
      .array(agentFinding)
      .describe(
        'New findings of the last check, those that make the pull request a draft first; at most 100. `checks.new` counts all of them.',
      ),
    pullRequests: z
      .array(
        z.object({
          number: z.int().nullable(),
          url: z.url(),
          branch: z.string(),
          state: z.enum(['open', 'merged', 'closed']).describe('Last known state.'),
        }),
      )
      .describe('Every pull request of the job, oldest first.'),
    usage: z
      .object({
        modelCalls: z.int().min(0),
        inputTokens: z.int().min(0).describe('Including cached tokens.'),
        outputTokens: z.int().min(0),
        cacheReadTokens: z.int().min(0),
        cacheWriteTokens: z.int().min(0),
        reasoningTokens: z.int().min(0).describe('Of `outputTokens`.'),
        costUsd: z.number().min(0).nullable().describe('US dollars; null when no price is configured.'),
      })
      .describe('Usage of the model in all turns.'),
    updatedAt: timestamp,
  })
  .meta({
    id: 'AgentJob',
    examples: [
      {
        id: exampleJobId,
        status: 'completed',
        source: {
          repository: 'https://github.com/acme/docs.git',
          ref: 'offprint/explain-rate-limits-7d1e0c3b',
        },
        model: 'claude-sonnet-4-5',
        prLink: 'https://github.com/acme/docs/pull/123',
        createdAt: '2026-06-01T12:00:00.000Z',
        archivedAt: null,
        title: 'Explain rate limits',
        summary: 'Added a page on rate limits and linked it from the quickstart.',
        needsInput: null,
        failure: null,
        stopped: null,
        heldCode: [],
        todos: [{ id: '1', text: 'Write the page', status: 'completed' }],
        checks: { status: 'checked', reason: null, new: 0, fixed: 1 },
        findings: [],
        pullRequests: [
          {
            number: 123,
            url: 'https://github.com/acme/docs/pull/123',
            branch: 'offprint/explain-rate-limits-7d1e0c3b',
            state: 'open',
          },
        ],
        usage: {
          modelCalls: 12,
          inputTokens: 180_500,
          outputTokens: 6_200,
          cacheReadTokens: 150_000,
          cacheWriteTokens: 12_000,
          reasoningTokens: 0,
          costUsd: 0.24,
        },
        updatedAt: '2026-06-01T12:04:10.250Z',
      },
    ],
  });
export type AgentJob = z.output<typeof agentJob>;

/** Query of `GET /v2/agent/{projectId}/job/{id}`. */
export const getAgentJobQuery = z.strictObject({
  wait: z.coerce
    .number()
    .int()
    .min(0)
    .max(60)
    .default(0)
    .describe('Long poll: seconds to wait for a change before the response, 0 to 60.'),
});

/** Query of `GET /v2/agent/{projectId}/jobs`. */
export const listAgentJobsQuery = z.strictObject({ status: agentJobStatus.optional(), ...listQuery });
export const agentJobList = listOf(agentJob).meta({ id: 'AgentJobList' });
export type AgentJobList = z.output<typeof agentJobList>;

/** What a job has changed against the commit that it started from. Paths are those below the docs folder. */
export const agentJobDiff = z
  .object({
    files: z.array(
      z.object({
        path: z.string(),
        kind: z.enum(['added', 'modified', 'deleted']),
        additions: z.int().min(0).describe('Lines added.'),
        deletions: z.int().min(0).describe('Lines removed.'),
        diff: z.string().describe('Unified diff of the file.'),
      }),
    ),
    diff: z.string().describe('Unified diff of all files, in the format of `git apply`.'),
    isKept: z
      .boolean()
      .describe('False when the changes were deleted after the retention time; then there are no files.'),
  })
  .meta({
    id: 'AgentJobDiff',
    examples: [
      {
        files: [
          {
            path: 'index.mdx',
            kind: 'modified',
            additions: 1,
            deletions: 1,
            diff: 'diff --git a/index.mdx b/index.mdx\n--- a/index.mdx\n+++ b/index.mdx\n@@ -1,1 +1,1 @@\n-Old\n+New\n',
          },
        ],
        diff: 'diff --git a/index.mdx b/index.mdx\n--- a/index.mdx\n+++ b/index.mdx\n@@ -1,1 +1,1 @@\n-Old\n+New\n',
        isKept: true,
      },
    ],
  });
export type AgentJobDiff = z.output<typeof agentJobDiff>;

const eventData = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object({
    seq: z.int().min(1).describe('Place in the transcript; also the `id` of the event.'),
    turn: z.int().min(1).describe('Number of the prompt, from 1.'),
    at: timestamp,
    ...shape,
  });

/** Data of events that are not kept and have no id. */
const passingData = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object({
    seq: z.int().min(0).describe('`seq` of the event that it follows.'),
    turn: z.int().min(1),
    at: timestamp,
    ...shape,
  });

/** Server-sent events of an agent job, in the order in which things happened; one `done` at the end. */
export const agentJobEvent = z
  .discriminatedUnion('event', [
    z.object({
      event: z.literal('state'),
      data: eventData({
        phase: z.string().describe('Phase of the job: `queued`, `preparing`, `running`, `waiting`, ...'),
        status: agentJobStatus,
        message: z.string().nullable(),
        until: timestamp.nullable().describe('End of a wait.'),
      }),
    }),
    z.object({ event: z.literal('prompt'), data: eventData({ text: z.string() }) }),
    z.object({ event: z.literal('message'), data: eventData({ text: z.string() }) }),
    z.object({
      event: z.literal('notice'),
      data: eventData({
        text: z
          .string()
          .describe(
            'What the platform reported to the model, at most 4,000 bytes: findings of a check, a conflict, a limit.',
          ),
      }),
    }),
    z.object({
      event: z.literal('tool'),
      data: eventData({
        name: z.string(),
        path: z.string().nullable().describe('File or folder that the tool used.'),
        summary: z.string().describe('Start of the result, at most 2,000 bytes.'),
        isError: z.boolean(),
      }),
    }),
    z.object({ event: z.literal('plan'), data: eventData({ todos: z.array(agentTodo) }) }),
    z.object({
      event: z.literal('pull_request'),
      data: eventData({ branch: z.string(), commit: z.string(), prLink: z.url().nullable() }),
    }),
    z.object({
      event: z.literal('pending'),
      data: passingData({
        prompts: z
          .array(z.object({ text: z.string(), at: timestamp }))
          .describe('Prompts that the model has not received yet. Replaces the previous list.'),
      }),
    }),
    z.object({
      event: z.literal('text'),
      data: passingData({
        offset: z.int().min(0).describe('UTF-16 code units of the text so far that are kept.'),
        text: z.string().describe('Follows them. The next event with an `id` replaces the whole text.'),
      }),
    }),
    z.object({ event: z.literal('done'), data: agentJob }),
  ])
  .meta({ id: 'AgentJobEvent' });
export type AgentJobEvent = z.output<typeof agentJobEvent>;
