import { expect, test } from 'vitest';
import { startText } from './page-words.ts';
import type { SearchPage } from './search-page.ts';

const pageWith = (description: string) => ({ description }) as SearchPage;

test.each([
  ['', 'Starts a job.', 'Starts a job.'],
  ['How to start.', 'Starts a job.', 'How to start.\nStarts a job.'],
  ['Starts a job.', 'Starts a job. Poll it.', 'Starts a job. Poll it.'],
  ['Starts a job.', ' Starts a job.\nPoll it.', ' Starts a job.\nPoll it.'],
  ['Starts', 'Starts a job.', 'Starts\nStarts a job.'],
])('the description %j stands once before the text %j', (description, text, expected) => {
  expect(startText(pageWith(description), text)).toBe(expected);
});
