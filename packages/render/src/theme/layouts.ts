import type { SiteConfig, ThemeName } from '../site.ts';

/** Where a layout puts the parts of a page, and how they look. Each word is a hook of the style sheets. */
export interface Layout {
  /** Tabs: a row below the bar, inside the bar, or a list at the top of the sidebar. */
  tabs: 'row' | 'bar' | 'side';
  /** The way to the search: the middle of the bar, its end, or the top of the sidebar. */
  search: 'center' | 'end' | 'side';
  /** `brand` lets the sidebar reach up to the logo; `open` has neither background nor line. */
  bar: 'full' | 'brand' | 'open';
  /** Background of the sidebar. */
  sidebar: 'plain' | 'filled' | 'clear' | 'float';
  /** How the entry of the page is marked. */
  marker: 'tint' | 'line' | 'raised' | 'solid';
  /** Anchors: with their icons in boxes, as plain lines, or at the foot of the sidebar. */
  anchors: 'boxes' | 'lines' | 'foot';
  /** Whether the text is on a card over a darker background. */
  canvas: 'plain' | 'card';
  cards: 'line' | 'filled' | 'lifted';
  corners: 'soft' | 'round' | 'square';
  /** Face of headings and navigation. */
  face: 'text' | 'mono';
  eyebrows: 'section' | 'breadcrumbs';
  /** Whether opening a group inside a group leads to its first page. */
  drilldown: boolean;
}

const BASE: Layout = {
  tabs: 'row',
  search: 'center',
  bar: 'full',
  sidebar: 'plain',
  marker: 'tint',
  anchors: 'boxes',
  canvas: 'plain',
  cards: 'line',
  corners: 'soft',
  face: 'text',
  eyebrows: 'section',
  drilldown: false,
};

const LAYOUTS: Readonly<Record<ThemeName, Layout>> = {
  mint: BASE,
  maple: { ...BASE, tabs: 'bar', search: 'side', bar: 'brand', anchors: 'lines', cards: 'filled' },
  palm: {
    ...BASE,
    tabs: 'bar',
    search: 'end',
    sidebar: 'filled',
    marker: 'line',
    anchors: 'lines',
    eyebrows: 'breadcrumbs',
    drilldown: true,
  },
  willow: {
    ...BASE,
    tabs: 'side',
    search: 'side',
    bar: 'brand',
    sidebar: 'filled',
    marker: 'raised',
    anchors: 'lines',
    cards: 'lifted',
  },
  linden: { ...BASE, marker: 'solid', anchors: 'lines', corners: 'square', face: 'mono' },
  almond: {
    ...BASE,
    tabs: 'side',
    search: 'side',
    bar: 'open',
    sidebar: 'clear',
    marker: 'raised',
    anchors: 'foot',
    canvas: 'card',
    corners: 'round',
    eyebrows: 'breadcrumbs',
    drilldown: true,
  },
  aspen: {
    ...BASE,
    tabs: 'row',
    search: 'center',
    bar: 'open',
    sidebar: 'clear',
    canvas: 'card',
    eyebrows: 'breadcrumbs',
  },
  sequoia: {
    ...BASE,
    tabs: 'bar',
    search: 'end',
    sidebar: 'clear',
    marker: 'line',
    anchors: 'lines',
    cards: 'lifted',
    eyebrows: 'breadcrumbs',
    drilldown: true,
  },
  luma: {
    ...BASE,
    tabs: 'bar',
    search: 'center',
    bar: 'open',
    sidebar: 'float',
    anchors: 'foot',
    cards: 'filled',
    corners: 'round',
  },
};

/** The layout of a site: that of its theme, with what the site decides for itself. */
export function layoutOf(config: SiteConfig): Layout {
  const layout = LAYOUTS[config.theme];
  return {
    ...layout,
    eyebrows: config.styling.eyebrows ?? layout.eyebrows,
    drilldown: config.interaction.drilldown ?? layout.drilldown,
  };
}

const HOOKS = {
  tabs: 'tabs',
  search: 'search',
  bar: 'bar',
  side: 'sidebar',
  mark: 'marker',
  anchors: 'anchors',
  canvas: 'canvas',
  cards: 'cards',
  corners: 'corners',
  face: 'face',
} as const satisfies Record<string, keyof Layout>;

/** What a layout does otherwise than the first, as hooks of the style sheets: `tabs-bar search-end side-filled`. */
export function layoutHooks(layout: Layout): string {
  return Object.entries(HOOKS)
    .filter(([, key]) => layout[key] !== BASE[key])
    .map(([hook, key]) => `${hook}-${layout[key]}`)
    .join(' ');
}
