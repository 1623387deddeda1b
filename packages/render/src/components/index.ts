import { accordion, accordionGroup, expandable } from './accordion.ts';
import { callout, callouts } from './callout.ts';
import { card, tile } from './card.ts';
import { variation, view } from './choice.ts';
import { codeBlock, codeGroup, requestExample, responseExample } from './code-group.ts';
import { color, colorItem, colorRow } from './color.ts';
import { cardGroup, column, columns } from './columns.ts';
import type { Component } from './component.ts';
import { heading, latex, link, mermaid, zoomImage } from './delegates.ts';
import { paramField, responseField } from './fields.ts';
import { frame } from './frame.ts';
import { badge, icon, tooltip } from './inline.ts';
import { markdown, panel, visibility } from './panel.ts';
import { prompt, repository } from './prompt.ts';
import { step, steps } from './steps.ts';
import { tab, tabs } from './tabs.ts';
import { tree, treeFile, treeFolder } from './tree.ts';
import { update } from './update.ts';

/** All built-in components, in the order of the reference. */
export const definitions: readonly Component[] = [
  ...callouts,
  callout,
  card,
  columns,
  cardGroup,
  column,
  tile,
  steps,
  step,
  tabs,
  tab,
  accordion,
  accordionGroup,
  expandable,
  codeGroup,
  codeBlock,
  requestExample,
  responseExample,
  paramField,
  responseField,
  frame,
  zoomImage,
  icon,
  badge,
  tooltip,
  link,
  heading,
  markdown,
  tree,
  treeFolder,
  treeFile,
  update,
  prompt,
  color,
  colorRow,
  colorItem,
  repository,
  latex,
  mermaid,
  panel,
  view,
  variation,
  visibility,
];

/** Built-in components by the name written in MDX (`Card`, `Tree.Folder`). No prototype: any name may be looked up. */
export const components: Readonly<Record<string, Component>> = Object.freeze(
  Object.assign(
    Object.create(null) as Record<string, Component>,
    Object.fromEntries(
      definitions.flatMap((each) => [each.name, ...(each.aliases ?? [])].map((name) => [name, each])),
    ),
  ),
);
