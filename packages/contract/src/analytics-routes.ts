import { z } from 'zod';
import {
  analyticsBrokenLinks,
  analyticsEventsQuery,
  analyticsFeedback,
  analyticsFeedbackByPage,
  analyticsFeedbackByPageQuery,
  analyticsFeedbackEntry,
  analyticsFeedbackQuery,
  analyticsPagesQuery,
  analyticsQuery,
  analyticsReferrers,
  analyticsSearches,
  analyticsSearchesQuery,
  analyticsTraffic,
  analyticsViews,
  analyticsVisitors,
  updateFeedbackBody,
} from './analytics.ts';
import { idParam } from './id.ts';
import { defineRoute, errorResponses, jsonErrors, keyErrors } from './route.ts';

const tag = 'Analytics';
const projectId = idParam('Id of the project.');
const params = z.strictObject({ projectId });
const errors = errorResponses(...keyErrors, 'not_found');
const requestHeaders = { Accept: '`text/csv`: the rows as CSV.' };
const reads = { method: 'GET', tag, scope: 'analytics:read', role: 'viewer', params } as const;

export const analyticsRoutes = {
  getAnalyticsViews: defineRoute({
    ...reads,
    operationId: 'getAnalyticsViews',
    path: '/v1/analytics/{projectId}/views',
    summary: 'Get page views',
    description:
      'Views of pages and of their Markdown copies, by people and by AI clients, most viewed first.',
    query: analyticsPagesQuery,
    requestHeaders,
    responses: { 200: { description: 'One page of rows.', schema: analyticsViews }, ...errors },
  }),
  getAnalyticsVisitors: defineRoute({
    ...reads,
    operationId: 'getAnalyticsVisitors',
    path: '/v1/analytics/{projectId}/visitors',
    summary: 'Get visitors',
    description:
      'Approximate number of visitors by page, counted by day. The standard error is about 2%; up to 1,000 visitors of a page and day are counted exactly.',
    query: analyticsPagesQuery,
    requestHeaders,
    responses: { 200: { description: 'One page of rows.', schema: analyticsVisitors }, ...errors },
  }),
  getAnalyticsSearches: defineRoute({
    ...reads,
    operationId: 'getAnalyticsSearches',
    path: '/v1/analytics/{projectId}/searches',
    summary: 'Get searches',
    description: 'What readers searched on the site, most frequent first.',
    query: analyticsSearchesQuery,
    requestHeaders,
    responses: { 200: { description: 'One page of rows.', schema: analyticsSearches }, ...errors },
  }),
  getAnalyticsFeedback: defineRoute({
    ...reads,
    operationId: 'getAnalyticsFeedback',
    path: '/v1/analytics/{projectId}/feedback',
    summary: 'List feedback',
    description: 'Votes and comments of readers, newest first.',
    query: analyticsFeedbackQuery,
    requestHeaders,
    responses: { 200: { description: 'One page of entries.', schema: analyticsFeedback }, ...errors },
  }),
  getAnalyticsFeedbackByPage: defineRoute({
    ...reads,
    operationId: 'getAnalyticsFeedbackByPage',
    path: '/v1/analytics/{projectId}/feedback/by-page',
    summary: 'Get feedback by page',
    description: 'Number of votes by page, most first.',
    query: analyticsFeedbackByPageQuery,
    requestHeaders,
    responses: { 200: { description: 'One page of rows.', schema: analyticsFeedbackByPage }, ...errors },
  }),
  updateAnalyticsFeedback: defineRoute({
    operationId: 'updateAnalyticsFeedback',
    method: 'PATCH',
    path: '/v1/analytics/{projectId}/feedback/{feedbackId}',
    tag,
    summary: 'Update feedback',
    description: 'Sets the state of the review, and the note of the team.',
    scope: 'analytics:write',
    role: 'editor',
    params: z.strictObject({ projectId, feedbackId: idParam('Id of the feedback.') }),
    body: updateFeedbackBody,
    responses: {
      200: { description: 'The entry.', schema: analyticsFeedbackEntry },
      ...errorResponses(...keyErrors, ...jsonErrors, 'not_found'),
    },
  }),
  getAnalyticsTraffic: defineRoute({
    ...reads,
    operationId: 'getAnalyticsTraffic',
    path: '/v1/analytics/{projectId}/traffic',
    summary: 'Get traffic by day',
    description: 'Views and visitors of the site by day and kind of client.',
    query: analyticsQuery,
    responses: { 200: { description: 'The days.', schema: analyticsTraffic }, ...errors },
  }),
  getAnalyticsReferrers: defineRoute({
    ...reads,
    operationId: 'getAnalyticsReferrers',
    path: '/v1/analytics/{projectId}/referrers',
    summary: 'Get referrers',
    description: 'Other sites with links that people followed, most views first.',
    query: analyticsPagesQuery,
    requestHeaders,
    responses: { 200: { description: 'One page of rows.', schema: analyticsReferrers }, ...errors },
  }),
  getAnalyticsBrokenLinks: defineRoute({
    ...reads,
    operationId: 'getAnalyticsBrokenLinks',
    path: '/v1/analytics/{projectId}/broken-links',
    summary: 'Get broken links',
    description:
      'URLs that people requested and that the site does not have, with the page that linked to them.',
    query: analyticsPagesQuery,
    requestHeaders,
    responses: { 200: { description: 'One page of rows.', schema: analyticsBrokenLinks }, ...errors },
  }),
  exportAnalyticsEvents: defineRoute({
    ...reads,
    operationId: 'exportAnalyticsEvents',
    path: '/v1/analytics/{projectId}/events',
    summary: 'Export events',
    description:
      'All stored events of these days as JSON Lines, oldest first. Events are stored for the time that the installation sets, without anything that identifies a visitor.',
    query: analyticsEventsQuery,
    maxSeconds: 600,
    responses: {
      200: { description: 'The events, one JSON object a line.', contentType: 'application/x-ndjson' },
      ...errors,
    },
  }),
};
