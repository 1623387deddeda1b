import { integer, type Setting } from './setting.ts';

/** What is stored about readers of sites. */
export const analyticsSettings = {
  analyticsEventDays: {
    name: 'OFFPRINT_ANALYTICS_EVENT_DAYS',
    default: '90',
    meaning:
      'Days for which single events of readers are stored. Events are deleted by whole months, at the latest one month later. Daily counts stay.',
    secret: false,
    schema: integer(31, 3_650, 'days'),
  },
  analyticsDays: {
    name: 'OFFPRINT_ANALYTICS_DAYS',
    default: '730',
    meaning:
      'Days for which daily counts of views, visitors and searches, and feedback of readers, are stored.',
    secret: false,
    schema: integer(31, 3_650, 'days'),
  },
} as const satisfies Record<string, Setting>;
