import { counted } from '@offprint/contract/counted';
import { z } from 'zod';
import { plain } from './output.ts';
import { defineTool, refuse } from './tool.ts';

/** `update_plan`: the steps of the work, shown to the person who asked. */
export const updatePlan = defineTool({
  name: 'update_plan',
  description: 'Set the plan of the work, replacing the previous one. Use it for three steps or more.',
  parameters: z.object({
    items: z
      .array(
        z.object({
          id: z.string().max(64),
          text: z.string().max(500),
          status: z.enum(['pending', 'in_progress', 'completed']),
        }),
      )
      .max(50),
  }),
  run({ items }, { memory }) {
    const ids = new Set(items.map(({ id }) => id));
    if (ids.size < items.length) return refuse('Two items of the plan have the same id. Use unique ids.');
    memory.plan = items.map(({ id, text, status }) => ({
      id: plain(id),
      text: plain(text).replace(/\s+/g, ' ').trim(),
      status,
    }));
    const done = items.filter(({ status }) => status === 'completed').length;
    return { text: `Plan of ${counted(items.length, 'item')}, ${done} completed.` };
  },
});
