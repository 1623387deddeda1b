import type { Task } from '../task.ts';
import { ambiguousText } from './ambiguous-text.ts';
import { brokenLinks } from './broken-links.ts';
import { deprecationNotice } from './deprecation-notice.ts';
import { followUp } from './follow-up.ts';
import { impossible } from './impossible.ts';
import { injection } from './injection.ts';
import { editOfDescription, factsOfDescription } from './large-description.ts';
import { errorOfMany, onePageOfMany } from './large-site.ts';
import { windowsEdit, windowsSection } from './line-ends.ts';
import { longPage } from './long-page.ts';
import { mdxErrors } from './mdx-errors.ts';
import { movePage } from './move-page.ts';
import { newEndpoint } from './new-endpoint.ts';
import { newPage } from './new-page.ts';
import { question } from './question.ts';
import { renameTerm } from './rename-term.ts';
import { onlyLivePartners, onlyTheContact } from './restraint.ts';
import { reviewedNumber, reviewedScope } from './review-comment.ts';
import { styleRules } from './style-rules.ts';
import { versionBump } from './version-bump.ts';

/** The tasks of the benchmark, sorted by number. */
export const TASKS: readonly Task[] = [
  renameTerm,
  brokenLinks,
  newEndpoint,
  newPage,
  movePage,
  versionBump,
  mdxErrors,
  deprecationNotice,
  followUp,
  question,
  injection,
  ambiguousText,
  longPage,
  styleRules,
  impossible,
  windowsEdit,
  windowsSection,
  factsOfDescription,
  editOfDescription,
  onePageOfMany,
  errorOfMany,
  onlyTheContact,
  onlyLivePartners,
  reviewedNumber,
  reviewedScope,
];
