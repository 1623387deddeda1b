import { integer, type Setting } from './setting.ts';

/** The assistant of served sites. Its model is that of the agent. */
export const assistantSettings = {
  assistantReaderTokens: {
    name: 'OFFPRINT_ASSISTANT_READER_TOKENS',
    default: '400000',
    meaning:
      'Tokens that one reader of a site can use in a day (UTC), input and output of the model together. Readers with the same network count as one; only a hash of the network is stored, for two days.',
    secret: false,
    schema: integer(0, 1_000_000_000, 'tokens'),
  },
  assistantSiteTokens: {
    name: 'OFFPRINT_ASSISTANT_SITE_TOKENS',
    default: '10000000',
    meaning: 'Tokens that all readers of a project together can use in a day (UTC).',
    secret: false,
    schema: integer(0, 1_000_000_000_000, 'tokens'),
  },
  assistantAnswerTokens: {
    name: 'OFFPRINT_ASSISTANT_ANSWER_TOKENS',
    default: '60000',
    meaning:
      'Tokens for one question to the assistant, over all of its model requests. They are reserved when the question arrives, so it is refused if the reader or the site has fewer tokens left.',
    secret: false,
    schema: integer(8_000, 10_000_000, 'tokens'),
  },
  assistantSteps: {
    name: 'OFFPRINT_ASSISTANT_STEPS',
    default: '6',
    meaning: 'Maximum number of model requests for one question to the assistant.',
    secret: false,
    schema: integer(1, 50, 'steps'),
  },
  assistantFreeQuestions: {
    name: 'OFFPRINT_ASSISTANT_FREE_QUESTIONS',
    default: '30',
    meaning:
      'Questions of readers of one project in a minute above which each question needs a proof of work: the browser of the reader computes for about a second. 0: every question needs one.',
    secret: false,
    schema: integer(0, 1_000_000, 'questions'),
  },
  assistantRetentionDays: {
    name: 'OFFPRINT_ASSISTANT_RETENTION_DAYS',
    default: '90',
    meaning: 'Days after which conversations with assistants are deleted. 0 keeps them permanently.',
    secret: false,
    schema: integer(0, 36_500, 'days'),
  },
} as const satisfies Record<string, Setting>;
