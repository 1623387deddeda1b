import { z } from 'zod';
import { ConfigFault } from '../edit/config-tree.ts';
import { readNavigation } from '../edit/nav.ts';
import { findNode, NavFault } from '../edit/nav-edit.ts';
import { navigationText } from '../edit/nav-text.ts';
import { defineTool, refuse } from './tool.ts';

/** Characters of one result. */
const MAX_LENGTH = 30_000;

export const getNavigation = defineTool({
  name: 'get_navigation',
  description:
    'Shows the navigation of docs.json (or mint.json) as lines "[id] kind label: 0 page, 1 page". The id of a page is the id before it, "/pages/" and its number. Ids change with each edit. A large navigation is shortened to counts: pass an id as "under".',
  parameters: z.object({
    under: z.string().describe('id of an entry; default all').optional(),
  }),
  run({ under = '' }, { workspace }) {
    try {
      const navigation = readNavigation(workspace);
      return { text: navigationText(navigation, findNode(navigation, under, 'under'), MAX_LENGTH) };
    } catch (error) {
      if (error instanceof NavFault || error instanceof ConfigFault) return refuse(error.message);
      throw error;
    }
  },
});
