import { escapeText } from '../escape.ts';
import type { Strings } from '../theme/strings.ts';

/**
 * The question below a page. The script of the events shows it, so that readers whose browser does not send events are
 * not asked.
 */
export function feedbackForm(strings: Strings): string {
  const { feedbackQuestion, feedbackYes, feedbackNo, feedbackComment, feedbackSend, feedbackThanks } =
    strings;
  const vote = (value: string, label: string): string =>
    `<button type="button" class="op-feedback-vote" value="${value}" aria-pressed="false">${escapeText(label)}</button>`;
  return `<form class="op-feedback" hidden><div class="op-feedback-row"><span id="op-feedback-question">${escapeText(feedbackQuestion)}</span><span role="group" aria-labelledby="op-feedback-question">${vote('yes', feedbackYes)}${vote('no', feedbackNo)}</span></div><div class="op-feedback-more" hidden><label for="op-feedback-text">${escapeText(feedbackComment)}</label><textarea id="op-feedback-text" rows="3" maxlength="1000"></textarea><button class="op-feedback-send">${escapeText(feedbackSend)}</button></div><p class="op-feedback-thanks" role="status" data-op-thanks="${escapeText(feedbackThanks).replaceAll('"', '&quot;')}"></p></form>
`;
}
