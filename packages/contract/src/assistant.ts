import { z } from 'zod';
import { embeddings, embeddingsInput } from './embeddings.ts';
import { timestamp } from './timestamp.ts';

/** Longest question and longest text of an earlier message. */
export const MAX_QUESTION = 8_000;
const MAX_CONTEXT = 16_000;

/** A part of a message: only text is read, and parts of other kinds are ignored. */
const messagePart = z.looseObject({ type: z.string().max(100), text: z.string().max(64_000).optional() });

const message = z.looseObject({
  id: z.string().max(200).optional(),
  role: z.enum(['system', 'user', 'assistant']).describe('Messages of the role `system` are ignored.'),
  parts: z.array(messagePart).max(200),
});

const context = z.looseObject({
  type: z.enum(['code', 'textSelection']),
  value: z.string().min(1).max(MAX_CONTEXT).describe('The code, or the selected text.'),
  path: z.string().max(500).optional().describe('Page that it is from.'),
  elementId: z.string().max(500).optional(),
});

/** Body of a message to the assistant. Fields that this version does not know are ignored, as in the reference product. */
export const assistantMessageBody = z
  .looseObject({
    fp: z
      .string()
      .min(1)
      .max(200)
      .describe('Identifies the reader for the limits; `anonymous`: only the limit of the site applies.'),
    threadId: z
      .string()
      .max(100)
      .nullish()
      .describe('Thread to continue, from `threadId` of an earlier `finish` event. Default: a new thread.'),
    messages: z
      .array(message)
      .min(1)
      .max(100)
      .describe(
        'The conversation, its last message from the user. With one message and a `threadId`, the stored thread is continued.',
      ),
    retrievalPageSize: z.number().min(1).max(20).default(5).describe('Pages that the first search returns.'),
    filter: z
      .looseObject({
        version: z.string().max(200).optional(),
        language: z.string().max(200).optional(),
        groups: z.array(z.string().max(200)).max(100).optional().describe('Groups of the reader.'),
      })
      .nullish()
      .describe(
        'Only `groups` changes the answer: it contains nothing that a reader in these groups cannot read.',
      ),
    context: z.array(context).max(10).nullish().describe('Selected text and code of pages.'),
    currentPath: z.string().max(200).nullish().describe('Path of the page that the reader is on.'),
  })
  .meta({
    id: 'AssistantMessageRequest',
    examples: [
      {
        fp: 'anonymous',
        messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'How do I get started?' }] }],
      },
    ],
  });
export type AssistantMessageBody = z.output<typeof assistantMessageBody>;

const origin = z
  .string()
  .max(300)
  .regex(/^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?$/, 'must be an origin such as https://www.example.com');

const supportUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .max(2_000)
  .refine((text) => !/^[^:]*:\/\/[^/]*@/.test(text), 'must not contain a user name or password');

/** Where readers go whose question the docs do not answer. */
export const assistantDeflection = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('none') }),
  z.object({ kind: z.literal('email'), email: z.email().max(300) }),
  z.object({
    kind: z.literal('link'),
    url: supportUrl.describe('The URL gets the thread as the query parameter `threadId`.'),
  }),
]);

const settings = {
  model: z
    .string()
    .min(1)
    .max(200)
    .nullable()
    .describe('Another model at the provider of the agent settings. Null: the model of the agent.'),
  starterQuestions: z.array(z.string().trim().min(1).max(200)).max(3),
  deflection: assistantDeflection,
  allowedOrigins: z
    .array(origin)
    .max(20)
    .describe(
      'Origins of other sites that can embed the assistant. It answers there as to a reader who has not signed in.',
    ),
};

export const assistantSettings = z
  .object({
    isReady: z.boolean().describe('Whether readers get answers.'),
    reason: z.string().nullable().describe('What is missing; null if nothing is.'),
    usesModel: z.string().nullable().describe('Model that answers; null without one.'),
    ...settings,
    embeddings: embeddings
      .nullable()
      .describe(
        'Model for vectors of the pages, for the search API and the assistant. Null: search by words.',
      ),
    updatedAt: timestamp.nullable(),
  })
  .meta({
    id: 'AssistantSettings',
    examples: [
      {
        isReady: true,
        reason: null,
        usesModel: 'claude-sonnet-4-5',
        model: null,
        starterQuestions: ['How do I get started?'],
        deflection: { kind: 'email', email: 'support@example.com' },
        allowedOrigins: ['https://www.example.com'],
        embeddings: {
          provider: 'openai',
          model: 'text-embedding-3-small',
          baseUrl: null,
          dimensions: 768,
          hasApiKey: true,
          state: 'ready',
          reason: null,
          sections: 1_240,
        },
        updatedAt: '2026-11-22T09:30:00.000Z',
      },
    ],
  });
export type AssistantSettings = z.output<typeof assistantSettings>;

export const updateAssistantSettingsBody = z
  .strictObject({
    model: settings.model.default(null),
    starterQuestions: settings.starterQuestions.default([]),
    deflection: settings.deflection.default({ kind: 'none' }),
    allowedOrigins: settings.allowedOrigins.default([]),
    embeddings: embeddingsInput
      .nullable()
      .default(null)
      .describe(
        'Model for vectors of the pages, for the search API and the assistant. All texts of the site and the queries are sent to it. Null or omitted: search by words; vectors are deleted.',
      ),
  })
  .meta({
    id: 'UpdateAssistantSettingsRequest',
    examples: [
      {
        starterQuestions: ['How do I get started?'],
        deflection: { kind: 'email', email: 'support@example.com' },
      },
    ],
  });
export type UpdateAssistantSettingsBody = z.output<typeof updateAssistantSettingsBody>;

const date = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2})?)?$/, 'must be a date such as 2026-01-31')
  .refine((text) => !Number.isNaN(Date.parse(text)), 'must be a date such as 2026-01-31')
  .optional();

const period = {
  dateFrom: date.describe('First date, as YYYY-MM-DD or ISO 8601.'),
  dateTo: date.describe('Date after the last one.'),
};

export const assistantPeriodQuery = z.strictObject(period);

export const listAssistantConversationsQuery = z.strictObject({
  ...period,
  resolutionStatus: z.enum(['answered', 'unanswered']).optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  cursor: z.string().max(100).optional().describe('`nextCursor` of the previous response.'),
});

export const assistantConversations = z
  .object({
    conversations: z.array(
      z.object({
        id: z.string(),
        threadId: z.string(),
        timestamp,
        query: z.string(),
        response: z.string().describe('Markdown.'),
        responseType: z.literal('answer'),
        sources: z.array(z.object({ title: z.string(), url: z.string() })),
        resolutionStatus: z.enum(['answered', 'unanswered']),
        queryCategory: z
          .string()
          .nullable()
          .describe('Always null: questions are not sorted into categories.'),
        pageUrl: z.string().nullable().describe('Page on which the reader asked.'),
        rating: z.enum(['up', 'down']).nullable(),
      }),
    ),
    nextCursor: z.string().nullable(),
    hasMore: z.boolean(),
  })
  .meta({ id: 'AssistantConversations' });
export type AssistantConversations = z.output<typeof assistantConversations>;

export const assistantThread = z
  .object({
    threadId: z.string(),
    createdAt: timestamp,
    messages: z.array(
      z.object({
        id: z.string(),
        role: z.enum(['user', 'assistant']),
        content: z.string(),
        createdAt: timestamp,
      }),
    ),
  })
  .meta({ id: 'AssistantThread' });
export type AssistantThread = z.output<typeof assistantThread>;

export const assistantCallerStats = z
  .object({
    web: z.number().int().describe('Questions on the site.'),
    api: z.number().int().describe('Questions with a key.'),
    other: z.number().int().describe('Questions on other sites that embed the assistant.'),
    total: z.number().int(),
  })
  .meta({ id: 'AssistantCallerStats' });
export type AssistantCallerStats = z.output<typeof assistantCallerStats>;
