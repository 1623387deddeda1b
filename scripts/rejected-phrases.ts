/**
 * Phrases that the project does not use, and what to write instead. `scripts/words.ts` looks for them in documentation, messages and
 * comments. A space in a pattern matches any white space; inline code and `${…}` count as no letter.
 */
export interface Phrase {
  /** A regular expression; `i` is always on. */
  pattern: string;
  /** What to write instead. */
  instead: string;
  /** Only in documentation (Markdown, chart and deployment files), where the reader does not know the code. */
  docsOnly?: true;
  /** Paths of files that may use it; a regular expression. */
  except?: string;
}

const MADE = 'accounts?|invitations?|keys?|links?|organizations?|projects?|secrets?|sessions?|tokens?|users?';
const EXACT_ADDRESS = 'IP|IPv4|IPv6|email|loopback|mail|link-local|private|public|source|bind|listen';
const SPELLED_ISE =
  'author|custom|initial|minim|maxim|normal|optim|organ|recogn|serial|summar|synchron|visual|general|final|special';

export const phrases: readonly Phrase[] = [
  {
    pattern:
      '(?<!\\bthere )\\b(?:is|are|was|were|be|been|am) no (?!longer|more|less|fewer|later|earlier|better|worse|bigger|larger|smaller|shorter)',
    instead: '"is not a …", or an adjective: invalid, missing, unknown',
  },
  { pattern: '\\bthere (?:is|are|was|were) none\\b', instead: '"none exists", or say what is missing' },
  { pattern: '\\bno such\\b', instead: '"… not found", "unknown …"', docsOnly: true },
  { pattern: '\\b(?:tells|told)\\b', instead: 'reports, logs, shows' },
  { pattern: '\\bsa(?:y|ys|id) so\\b', instead: 'reports it' },
  { pattern: '\\b(?:to|for|by|from|with|than|lets?) who\\b', instead: '"anyone who", "the person who"' },
  { pattern: '(?<=^|[.!] )Who [a-z][^.?!:]*\\.(?=\\s|$)', instead: '"Anyone who …", "A user who …"' },
  { pattern: '\\bwho(?:m)?ever\\b', instead: 'anyone who' },
  { pattern: '\\bso (?:many|few)\\b', instead: 'a number: "up to N", "at most N"' },
  { pattern: '\\b(?:begins|began|begun)\\b', instead: 'starts, started' },
  { pattern: '\\bg(?:ives?|ave|iven|iving) way\\b', instead: 'closes, yields, is replaced' },
  { pattern: '\\b(?:is|are|was|were|be|been) given up\\b', instead: 'is abandoned, fails permanently' },
  {
    pattern:
      '\\b(?:stands?|stood|standing) (?:in|at|on|by|beside|behind|below|above|there|before|where|under|between|still|open)\\b',
    instead: '"is in …", or the exact verb: supports, precedes',
  },
  {
    pattern: '\\b(?:lies?|lay|lying) (?:in|at|on|beside|below|under|outside|inside|between|where|there)\\b',
    instead: 'is in',
  },
  { pattern: '\\bc(?:omes?|ame|oming) back\\b', instead: 'returns, retries, is requeued' },
  { pattern: '\\bg(?:oes|o|oing|one) on\\b|\\bwent on\\b', instead: 'continues, resumes' },
  { pattern: '\\bg(?:oes|o|oing) by\\b|\\bgets? by\\b', instead: 'follows, uses, works without' },
  {
    pattern: '\\blook(?:s|ed|ing)? (?:at|into|over|after)\\b',
    instead: 'checks, inspects, polls, reads, opens',
  },
  { pattern: '\\blasts\\b', instead: 'is valid for, takes, remains' },
  { pattern: '\\bawake\\b', instead: 'alive, keep-alive' },
  { pattern: '\\bmend(?:s|ed|ing)?\\b', instead: 'fixes, repairs' },
  {
    pattern: '(?<![.\\w/])faults?\\b(?![.\\w/]|[- ](?:toleran|injection))',
    instead: 'error, failure, defect',
  },
  { pattern: '\\b(?:goes|go|went|gone|going) wrong\\b', instead: 'fails; error, failure' },
  {
    pattern: '(?<!re)\\banswer(?:s|ed|ing)?\\b(?! (?:a |the |my |your |this |that )?questions?)',
    instead: 'response, returns',
    // Readers ask the assistant, which answers; a response is what a server sends.
    except: '(?:^|/|-)assistant\\b',
  },
  { pattern: '(?<![\\w-])codings?\\b(?! (?:agent|assistant|tool|style))', instead: 'content encoding' },
  {
    pattern: '\\b(?:the|its|their) (?:most|least|fewest) (?=that|it |a |an |one |this |which |is |may )',
    instead: 'maximum, minimum, limit',
  },
  { pattern: '\\be-mails?\\b', instead: 'email' },
  {
    pattern: `(?<!\\b(?:${EXACT_ADDRESS}) )(?<![\\w-])address(?:es)?\\b(?! (?:guard|range|bar|block|family|space))`,
    instead: 'URL, IP address or email address',
    docsOnly: true,
  },
  { pattern: '\\bnearest\\b', instead: 'suggestion, closest' },
  { pattern: '\\bbr(?:ings?|ought|inging)\\b', instead: 'downloads, includes, adds', docsOnly: true },
  { pattern: "\\bof (?:its|their|your|his|our|one's) own\\b", instead: '"its own …"', docsOnly: true },
  { pattern: '\\bfor ever\\b', instead: 'permanently' },
  { pattern: '\\bfor good\\b(?! (?:reason|cause|measure))', instead: 'permanently' },
  { pattern: '\\banew\\b', instead: 'again' },
  { pattern: '\\bin vain\\b', instead: 'without a result' },
  { pattern: '\\bthe ear is open\\b', instead: '"after the subscription"' },
  { pattern: '\\bwith(?:out)? leave\\b', instead: 'with permission' },
  { pattern: '\\bwithout a word\\b', instead: 'silently' },
  { pattern: '\\bpassed over\\b', instead: 'ignored, skipped' },
  { pattern: '\\bspeaks? of\\b|\\btells? of\\b', instead: 'describes, names' },
  {
    pattern: `\\bma(?:kes?|de|king) (?:(?:a|an|the|another|your|its) )?(?:new )?(?:${MADE})\\b`,
    instead: 'create',
  },
  {
    pattern: '\\bone (?:folder|line|path|file|event|row|request|job|test|table|process|entry|page) an? \\w+',
    instead: '"one … per …"',
  },
  { pattern: '\\bends? with (?:code |status |exit |an error|\\d)', instead: 'exits with, fails with' },
  {
    pattern: '(?<=^|[.!] )What (?!happen|next)[^.?!:]*\\.(?=\\s|$)',
    instead: 'a sentence with a noun as its subject',
    docsOnly: true,
  },
  { pattern: '\\b(?:hold|keep)s? to the (?:memory|limit|rule)\\b', instead: 'limit' },
  { pattern: '\\bmaths\\b', instead: 'math' },
  {
    pattern: '\\b(?:colour|behaviour|honour|favour|neighbour|flavour)\\w*',
    instead: 'American spelling: color, behavior',
  },
  {
    pattern: '\\b(?:licence|catalogue|centre|artefact|grey|whilst|amongst|towards)s?\\b',
    instead: 'American spelling',
  },
  {
    pattern: `\\b(?:${SPELLED_ISE})is(?:e|ed|es|ing|ation|ations|er)\\b`,
    instead: 'American spelling: -ize',
  },
];
