import { z } from 'zod';
import { plain } from './output.ts';
import { defineTool, refuse } from './tool.ts';

/** Most characters of a title and of a summary or question. */
const MAX_TITLE = 120;
const MAX_TEXT = 20_000;

/** `finish`: ends the turn. */
export const finish = defineTool({
  name: 'finish',
  description:
    'End the turn. title and summary become the pull request, if anything changed. needs_input: a question, only when you cannot continue without a reply.',
  parameters: z.object({
    title: z.string().describe('One line'),
    summary: z.string().describe('What was changed and why, in Markdown'),
    needs_input: z.string().optional(),
  }),
  run({ title, summary, needs_input: question }) {
    const line = plain(title).replace(/\s+/g, ' ').trim();
    if (line === '') return refuse('title is empty. Say in one line what was done.');
    const asked = plain(question ?? '')
      .trim()
      .slice(0, MAX_TEXT)
      .toWellFormed();
    return {
      text: 'The turn ends here.',
      finish: {
        title: line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1).toWellFormed()}…` : line,
        summary: plain(summary).trim().slice(0, MAX_TEXT).toWellFormed(),
        needsInput: asked === '' ? null : asked,
      },
    };
  },
});
