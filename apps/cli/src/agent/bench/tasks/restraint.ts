import { buildFixture, type Files } from '../fixture/fixture.ts';
import { isLive, partnerPath, withPartners } from '../fixture/large.ts';
import { textOf } from '../text.ts';
import { exactTask } from './exact.ts';

const start = (): Files => withPartners(buildFixture());

/** The pages of partners with another text. */
function withPartnerText(change: (text: string, number: number) => string): Files {
  const files = start();
  for (let number = 1; files.has(partnerPath(number)); number++) {
    files.set(partnerPath(number), change(textOf(files, partnerPath(number)), number));
  }
  return files;
}

export const onlyTheContact = exactTask({
  id: 22,
  name: 'Change one word on 60 pages and nothing else',
  start,
  turns: [
    {
      prompt:
        'On all pages in partners/, write support@ferrywell.example instead of help@ferrywell.example. Change nothing else on these pages: no line ends, no spaces, no spelling.',
      expected: () =>
        withPartnerText((text) => text.replace('help@ferrywell.example', 'support@ferrywell.example')),
    },
  ],
});

export const onlyLivePartners = exactTask({
  id: 23,
  name: 'Remove a sentence from 40 of 60 pages',
  start,
  turns: [
    {
      prompt:
        'The pages in partners/ say "This partner is in beta. " even if the table says that the status is live. Remove that sentence and the space after it from the pages with the status live. Change nothing else.',
      expected: () =>
        withPartnerText((text, number) =>
          isLive(number) ? text.replace('This partner is in beta. ', '') : text,
        ),
    },
  ],
});
