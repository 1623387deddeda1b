import { z } from 'zod';
import { timestamp } from './timestamp.ts';

/** The kind of program that sent a request, by its user agent. */
export const clientKinds = ['person', 'agent', 'search-crawler', 'training-crawler', 'other'] as const;
export const clientKind = z
  .enum(clientKinds)
  .describe(
    '`person`: a browser. `agent`: a program that reads pages for a person now, such as an AI assistant. `search-crawler` and `training-crawler`: programs that collect pages for a search engine, or to train models. `other`: scripts, monitors and unknown programs.',
  );
export type ClientKind = z.output<typeof clientKind>;

/** Days that one request may cover. */
export const MAX_ANALYTICS_DAYS = 800;

const day = (about: string) =>
  z
    .string()
    .refine(
      (text) => /^\d{4}-\d{2}-\d{2}(?:T[0-9:.+Z-]{1,30})?$/.test(text) && !Number.isNaN(Date.parse(text)),
      'must be a date such as 2026-11-26, or a time in ISO 8601',
    )
    .transform((text) => new Date(text).toISOString().slice(0, 10))
    .optional()
    .describe(about);

/** The days that a request covers, in UTC. */
export const analyticsRange = {
  dateFrom: day('First day, as `YYYY-MM-DD` or ISO 8601, in UTC. Default: 30 days before `dateTo`.'),
  dateTo: day('Exclusive upper limit: the day after the last one. Default: tomorrow.'),
};

const limit = (max: number, value: number) =>
  z.coerce.number().int().min(1).max(max).default(value).describe(`Maximum number of rows, 1 to ${max}.`);
const offset = z.coerce
  .number()
  .int()
  .min(0)
  .max(1_000_000)
  .default(0)
  .describe('Number of rows to skip. Add `limit` while `hasMore` is true.');
const cursor = z
  .string()
  .min(1)
  .max(512)
  .optional()
  .describe('The `nextCursor` of the previous response. Opaque.');
const format = z
  .enum(['json', 'csv'])
  .optional()
  .describe('`csv`: the rows as a file. `Accept: text/csv` does the same.');
const hasMore = z.boolean().describe('Whether there are more rows.');
const nextCursor = z
  .string()
  .nullable()
  .describe('Pass it as `cursor` for the next rows; null after the last.');
const count = z.number().int().min(0);
const path = z.string().describe('Path of the page, without `.html`.');

export const analyticsQuery = z.strictObject(analyticsRange);
export const analyticsPagesQuery = z.strictObject({
  ...analyticsRange,
  limit: limit(250, 50),
  offset,
  format,
});
export const analyticsSearchesQuery = z.strictObject({
  ...analyticsRange,
  limit: limit(100, 50),
  cursor,
  withoutResults: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .describe('Only searches that never had a result.'),
  format,
});

export const feedbackSource = z
  .enum(['contextual', 'thumbs_only', 'agent', 'code_snippet'])
  .describe(
    '`contextual`: a vote with a comment. `thumbs_only`: a vote. `agent`: sent by an AI agent. `code_snippet`: about a code block; this version receives none.',
  );
export type FeedbackSource = z.output<typeof feedbackSource>;

export const feedbackStatuses = ['pending', 'in_progress', 'resolved', 'dismissed'] as const;
export const feedbackStatus = z.enum(feedbackStatuses).describe('State of the review.');
export type FeedbackStatus = z.output<typeof feedbackStatus>;

const feedbackFilter = {
  source: feedbackSource.optional(),
  status: z
    .string()
    .max(100)
    .refine(
      (text) => text.split(',').every((part) => feedbackStatuses.some((known) => known === part.trim())),
      `must be a list of ${feedbackStatuses.join(', ')}`,
    )
    .optional()
    .describe('States, comma-separated.'),
};
export const analyticsFeedbackQuery = z.strictObject({
  ...analyticsRange,
  ...feedbackFilter,
  limit: limit(100, 50),
  cursor,
  format,
});
export const analyticsFeedbackByPageQuery = z.strictObject({
  ...analyticsRange,
  ...feedbackFilter,
  limit: limit(100, 10),
  offset,
  format,
});
export const analyticsEventsQuery = z.strictObject({
  ...analyticsRange,
});

/** Counts of people, of AI clients, and of both. */
const humanAndAi = (what: string) => ({
  human: count.describe(`${what} of people.`),
  ai: count.describe(`${what} of agents and crawlers.`),
  total: count.describe(`${what} of all, other programs included.`),
});

export const analyticsViews = z
  .object({
    totals: z.object(humanAndAi('Views')),
    views: z.array(z.object({ path, ...humanAndAi('Views') })),
    hasMore,
  })
  .meta({
    id: 'AnalyticsViews',
    examples: [
      {
        totals: { human: 120, ai: 45, total: 170 },
        views: [{ path: '/guides/start', human: 80, ai: 30, total: 112 }],
        hasMore: false,
      },
    ],
  });
export type AnalyticsViews = z.output<typeof analyticsViews>;

export const analyticsVisitors = z
  .object({
    totals: z.object(humanAndAi('Daily visitors')),
    visitors: z.array(z.object({ path, ...humanAndAi('Daily visitors') })),
    hasMore,
  })
  .describe(
    'Visitors are counted by day: their key changes each day, so that nobody can follow a visitor. One who visits on two days counts twice.',
  )
  .meta({
    id: 'AnalyticsVisitors',
    examples: [
      {
        totals: { human: 61, ai: 12, total: 75 },
        visitors: [{ path: '/guides/start', human: 40, ai: 9, total: 50 }],
        hasMore: false,
      },
    ],
  });
export type AnalyticsVisitors = z.output<typeof analyticsVisitors>;

export const analyticsSearches = z
  .object({
    searches: z.array(
      z.object({
        searchQuery: z.string(),
        hits: count.describe('Number of searches.'),
        ctr: z.number().min(0).describe('Opened results per search.'),
        topClickedPage: z.string().nullable().describe('Path of the result that was opened most often.'),
        lastSearchedAt: timestamp.describe('When it was last searched.'),
        withoutResults: count.describe('Number of searches without a result.'),
      }),
    ),
    totalSearches: count.describe('All searches of these days.'),
    nextCursor,
  })
  .meta({
    id: 'AnalyticsSearches',
    examples: [
      {
        searches: [
          {
            searchQuery: 'webhooks',
            hits: 12,
            ctr: 0.75,
            topClickedPage: '/guides/webhooks',
            lastSearchedAt: '2026-11-26T09:30:00.000Z',
            withoutResults: 0,
          },
        ],
        totalSearches: 40,
        nextCursor: null,
      },
    ],
  });
export type AnalyticsSearches = z.output<typeof analyticsSearches>;

export const analyticsFeedbackEntry = z
  .object({
    id: z.string(),
    path,
    comment: z.string().nullable(),
    createdAt: timestamp.describe('When it was sent.'),
    source: feedbackSource,
    status: feedbackStatus,
    helpful: z.boolean().nullable().describe('The vote; null if the sender gave none.'),
    contact: z.null().describe('Always null: readers are not asked for an address.'),
    note: z.string().describe('Note of the team; empty without one.'),
  })
  .meta({
    id: 'AnalyticsFeedbackEntry',
    examples: [
      {
        id: 'fb_0f7c1b0e2d3a4c5b6e7f8091a2b3c4d5',
        path: '/guides/start',
        comment: 'The second command fails on Windows.',
        createdAt: '2026-11-26T09:30:00.000Z',
        source: 'contextual',
        status: 'pending',
        helpful: false,
        contact: null,
        note: '',
      },
    ],
  });
export type AnalyticsFeedbackEntry = z.output<typeof analyticsFeedbackEntry>;

export const analyticsFeedback = z
  .object({ feedback: z.array(analyticsFeedbackEntry), nextCursor, hasMore })
  .meta({ id: 'AnalyticsFeedback' });
export type AnalyticsFeedback = z.output<typeof analyticsFeedback>;

export const analyticsFeedbackByPage = z
  .object({
    feedback: z.array(
      z.object({
        path,
        thumbsUp: count,
        thumbsDown: count,
        code: count.describe('About code blocks.'),
        total: count,
      }),
    ),
    hasMore,
  })
  .meta({
    id: 'AnalyticsFeedbackByPage',
    examples: [
      {
        feedback: [{ path: '/guides/start', thumbsUp: 4, thumbsDown: 1, code: 0, total: 5 }],
        hasMore: false,
      },
    ],
  });
export type AnalyticsFeedbackByPage = z.output<typeof analyticsFeedbackByPage>;

export const updateFeedbackBody = z
  .strictObject({
    status: feedbackStatus.optional(),
    note: z.string().max(2_000).optional().describe('Note of the team; empty removes it.'),
  })
  .describe('What changes.')
  .meta({ id: 'UpdateFeedbackRequest', examples: [{ status: 'resolved', note: 'Corrected the command.' }] });
export type UpdateFeedbackBody = z.input<typeof updateFeedbackBody>;

export const analyticsTraffic = z
  .object({
    days: z.array(
      z.object({
        day: z.string().describe('`YYYY-MM-DD`, in UTC.'),
        client: clientKind,
        views: count,
        visitors: count,
      }),
    ),
    markdownViews: count.describe('Views of Markdown copies; `days` includes them.'),
    copies: count.describe('Copied code blocks.'),
    playgroundRequests: count.describe('Requests that readers sent from API pages.'),
    isCounting: z
      .boolean()
      .describe('Whether readers are counted now: the project and the installation allow it.'),
  })
  .meta({
    id: 'AnalyticsTraffic',
    examples: [
      {
        days: [{ day: '2026-11-26', client: 'person', views: 120, visitors: 61 }],
        markdownViews: 9,
        copies: 14,
        playgroundRequests: 3,
        isCounting: true,
      },
    ],
  });
export type AnalyticsTraffic = z.output<typeof analyticsTraffic>;

export const analyticsReferrers = z
  .object({
    referrers: z.array(
      z.object({ host: z.string().describe('Host of the site with the link.'), views: count }),
    ),
    hasMore,
  })
  .meta({
    id: 'AnalyticsReferrers',
    examples: [{ referrers: [{ host: 'github.com', views: 21 }], hasMore: false }],
  });
export type AnalyticsReferrers = z.output<typeof analyticsReferrers>;

export const analyticsBrokenLinks = z
  .object({
    links: z.array(
      z.object({
        path: z.string().describe('Path that was not found.'),
        from: z.string().describe('Page with the link: a path of the site or a URL; empty if unknown.'),
        hits: count,
        lastAt: timestamp.describe('When it was last requested.'),
      }),
    ),
    hasMore,
  })
  .meta({
    id: 'AnalyticsBrokenLinks',
    examples: [
      {
        links: [{ path: '/old-page', from: '/guides/start', hits: 7, lastAt: '2026-11-26T09:30:00.000Z' }],
        hasMore: false,
      },
    ],
  });
export type AnalyticsBrokenLinks = z.output<typeof analyticsBrokenLinks>;
