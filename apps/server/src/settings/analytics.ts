import { integer, type Setting } from './setting.ts';
import { bucketName, storageSettings } from './storage.ts';

/** What is stored about readers of sites. */
export const analyticsSettings = {
  analyticsEventDays: {
    name: 'OFFPRINT_ANALYTICS_EVENT_DAYS',
    default: '90',
    meaning:
      'Days for which individual events of readers are stored. Events are deleted by whole months, at the latest one month later. Daily counts stay.',
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
  analyticsBucket: {
    name: 'OFFPRINT_ANALYTICS_BUCKET',
    default: null,
    meaning:
      'Bucket to which a worker writes the events of each project and day as JSON Lines, with the endpoint, region, credentials and prefix of OFFPRINT_S3_*. Unset: they are not written.',
    secret: false,
    schema: bucketName.optional(),
  },
} as const satisfies Record<string, Setting>;

/** Settings that make sense together only. */
export function analyticsFaults(config: {
  analyticsBucket?: string | undefined;
  s3Bucket?: string | undefined;
}): { name: string; message: string }[] {
  if (config.analyticsBucket === undefined || config.s3Bucket !== undefined) return [];
  return [
    {
      name: analyticsSettings.analyticsBucket.name,
      message: `is set without ${storageSettings.s3Bucket.name}`,
    },
  ];
}
