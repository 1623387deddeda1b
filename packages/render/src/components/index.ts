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

const table: Record<string, Component> = {
  ...callouts,
  Accordion: accordion,
  AccordionGroup: accordionGroup,
  Badge: badge,
  Callout: callout,
  Card: card,
  CardGroup: cardGroup,
  CodeBlock: codeBlock,
  CodeGroup: codeGroup,
  Color: color,
  'Color.Item': colorItem,
  'Color.Row': colorRow,
  Column: column,
  Columns: columns,
  Example: frame,
  Expandable: expandable,
  FileTree: tree,
  'FileTree.File': treeFile,
  'FileTree.Folder': treeFolder,
  Frame: frame,
  'GitHub.Repo': repository,
  'Github.Repo': repository,
  Heading: heading,
  Icon: icon,
  Latex: latex,
  Link: link,
  MDX: markdown,
  Mermaid: mermaid,
  Panel: panel,
  Param: paramField,
  ParamField: paramField,
  Prompt: prompt,
  RequestExample: requestExample,
  ResponseExample: responseExample,
  ResponseField: responseField,
  SnippetGroup: codeGroup,
  Step: step,
  Steps: steps,
  Tab: tab,
  Tabs: tabs,
  Tile: tile,
  Tooltip: tooltip,
  Tree: tree,
  'Tree.File': treeFile,
  'Tree.Folder': treeFolder,
  Update: update,
  Variation: variation,
  View: view,
  Visibility: visibility,
  ZoomImage: zoomImage,
};

/** Built-in components by the name written in MDX (`Card`, `Tree.Folder`). No prototype: any name may be looked up. */
export const components: Readonly<Record<string, Component>> = Object.freeze(
  Object.assign(Object.create(null) as Record<string, Component>, table),
);
