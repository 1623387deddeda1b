/**
 * Utility classes that pages of the format use for layouts of their own, as a fixed subset of the scales of
 * Tailwind CSS (names and values from its documentation). They stand last in the style sheet of the theme, one
 * class each, so that they win over the text rules and any rule of the site's own style sheets wins over them.
 */

type Declarations = Readonly<Record<string, string>>;

const GREYS: Readonly<Record<string, string>> = {
  50: '#fafafa',
  100: '#f4f4f5',
  200: '#e4e4e7',
  300: '#d4d4d8',
  400: '#a1a1aa',
  500: '#71717a',
  600: '#52525b',
  700: '#3f3f46',
  800: '#27272a',
  900: '#18181b',
  950: '#09090b',
};
const PRIMARY = 'var(--color-primary)';

/** Names and declarations without variants. `{}` in a name stands for each step of its scale. */
const PLAIN: Declarations = {
  ...displays(),
  inline: 'display:inline',
  'inline-flex': 'display:inline-flex',
  relative: 'position:relative',
  absolute: 'position:absolute',
  'top-0': 'top:0',
  'right-0': 'right:0',
  'left-0': 'left:0',
  'left-1/2': 'left:50%',
  '-translate-x-1/2': 'translate:-50%',
  'z-10': 'z-index:10',
  'overflow-hidden': 'overflow:hidden',
  'overflow-auto': 'overflow:auto',
  'flex-1': 'flex:1 1 0%',
  'flex-wrap': 'flex-wrap:wrap',
  'shrink-0': 'flex-shrink:0',
  'items-start': 'align-items:flex-start',
  'items-center': 'align-items:center',
  'items-end': 'align-items:flex-end',
  'justify-start': 'justify-content:flex-start',
  'justify-center': 'justify-content:center',
  'justify-end': 'justify-content:flex-end',
  'justify-between': 'justify-content:space-between',
  'mx-auto': 'margin-inline:auto',
  'ml-auto': 'margin-left:auto',
  'mr-auto': 'margin-right:auto',
  'w-full': 'width:100%',
  'w-auto': 'width:auto',
  'w-fit': 'width:fit-content',
  'w-1/2': 'width:50%',
  'h-full': 'height:100%',
  'h-auto': 'height:auto',
  'min-w-0': 'min-width:0',
  'max-w-full': 'max-width:100%',
  'aspect-video': 'aspect-ratio:16/9',
  'aspect-square': 'aspect-ratio:1',
  'aspect-[2/1]': 'aspect-ratio:2',
  'object-cover': 'object-fit:cover',
  'text-left': 'text-align:left',
  'text-center': 'text-align:center',
  'font-mono': 'font-family:var(--font-mono)',
  uppercase: 'text-transform:uppercase',
  underline: 'text-decoration:underline',
  'no-underline': 'text-decoration:none',
  'tracking-tight': 'letter-spacing:-.025em',
  'leading-relaxed': 'line-height:1.625',
  'whitespace-nowrap': 'white-space:nowrap',
  truncate: 'overflow:hidden;text-overflow:ellipsis;white-space:nowrap',
  'cursor-pointer': 'cursor:pointer',
  'pointer-events-none': 'pointer-events:none',
  'opacity-0': 'opacity:0',
  'opacity-80': 'opacity:.8',
  border: 'border:1px solid var(--color-border)',
  'border-t': 'border-top:1px solid var(--color-border)',
  'border-r': 'border-right:1px solid var(--color-border)',
  'border-b': 'border-bottom:1px solid var(--color-border)',
  'border-l': 'border-left:1px solid var(--color-border)',
  rounded: 'border-radius:4px',
  shadow: 'box-shadow:0 1px 3px #0000001a',
  transition: 'transition:all var(--motion)',
  'transition-all': 'transition:all var(--motion)',
  'transition-colors': 'transition:all var(--motion)',
};

const SPACES = [0, 1, 2, 3, 4, 5, 6, 8, 12];
const SIZES = [4, 5, 6, 8, 10, 12, 16, 24];
/** Properties by class, over a scale in quarters of a rem. */
const SCALES: readonly [readonly number[], Declarations][] = [
  [SPACES, { mt: 'margin-top', mb: 'margin-bottom', p: 'padding', px: 'padding-inline' }],
  [SPACES, { py: 'padding-block', gap: 'gap' }],
  [[0, 2, 4], { my: 'margin-block' }],
  [[16], { py: 'padding-block' }],
  [[1, 2, 4], { ml: 'margin-left', mr: 'margin-right', pl: 'padding-left', pr: 'padding-right' }],
  [[2, 3, 4, 6, 8, 16], { pt: 'padding-top', pb: 'padding-bottom' }],
  [[4, 6], { 'gap-x': 'column-gap', 'gap-y': 'row-gap' }],
  [SIZES, { w: 'width', h: 'height' }],
];
const TEXT: Declarations = {
  xs: '.75rem/1.333',
  sm: '.875rem/1.43',
  base: '1rem/1.5',
  lg: '1.125rem/1.56',
  xl: '1.25rem/1.4',
  '2xl': '1.5rem/1.333',
  '3xl': '1.875rem/1.2',
  '4xl': '2.25rem/1.11',
  '5xl': '3rem/1',
};
const WEIGHTS: Declarations = { normal: '400', medium: '500', semibold: '600', bold: '700' };
const RADII: Declarations = {
  none: '0',
  sm: '2px',
  md: '6px',
  lg: '8px',
  xl: '12px',
  '2xl': '16px',
  full: '999px',
};
/** In rem. */
const WIDTHS: Readonly<Record<string, number>> = {
  xs: 20,
  sm: 24,
  md: 28,
  lg: 32,
  xl: 36,
  '2xl': 42,
  '3xl': 48,
  '4xl': 56,
  '5xl': 64,
  '6xl': 72,
  '7xl': 80,
};

/** Style rules of the subset; about 11 kB. */
export function utilityStyles(): string {
  const plain = new Map(Object.entries({ ...PLAIN, ...scales(), ...types(), ...colors(false) }));
  let css = '.not-prose :where(p,ul,ol){margin-block:0}';
  css += rules(Object.fromEntries(plain), '');
  // Children of these have a gap before each but the first.
  for (const step of [1, 2, 4]) {
    css += `.space-y-${step}>:where(:not(:first-child)){margin-block:${step / 4}rem 0}`;
    css += `.space-x-${step}>:where(:not(:first-child)){margin-inline-start:${step / 4}rem}`;
  }
  css += rules(hovers(false), 'hover:', ':hover');
  css += `.group:hover{${rules(groupHovers(), 'group-hover:')}}`;
  for (const [screen, width] of [
    ['sm', 640],
    ['md', 768],
    ['lg', 1024],
  ] as const) {
    css += `@media(min-width:${width}px){${rules(responsive(plain), `${screen}:`)}}`;
  }
  const dark = rules({ ...displays(), ...colors(true) }, 'dark:');
  css += `:where(html.dark){${dark}${rules(hovers(true), 'dark:hover:', ':hover')}}`;
  // The theme of the system, where no script has written the theme on the page.
  const still = rules(displays(), 'dark:');
  return `${css}@media(prefers-color-scheme:dark){:where(html:not(.js,.light)){${still}}}`;
}

function displays(): Declarations {
  return {
    hidden: 'display:none',
    block: 'display:block',
    'inline-block': 'display:inline-block',
    flex: 'display:flex',
    grid: 'display:grid',
  };
}

function scales(): Declarations {
  const found: Record<string, string> = {};
  for (const [steps, properties] of SCALES) {
    for (const [name, property] of Object.entries(properties)) {
      for (const step of steps) found[`${name}-${step}`] = `${property}:${rem(step / 4)}`;
    }
  }
  for (const [name, width] of Object.entries(WIDTHS)) found[`max-w-${name}`] = `max-width:${width}rem`;
  for (const [name, radius] of Object.entries(RADII)) found[`rounded-${name}`] = `border-radius:${radius}`;
  return found;
}

function rem(value: number): string {
  return value === 0 ? '0' : `${String(value).replace(/^0/, '')}rem`;
}

function types(): Declarations {
  const found: Record<string, string> = {
    'flex-row': 'flex-direction:row',
    'flex-col': 'flex-direction:column',
  };
  for (const [name, value] of Object.entries(TEXT)) {
    const [size, height] = value.split('/');
    found[`text-${name}`] = `font-size:${size};line-height:${height}`;
  }
  for (const [name, value] of Object.entries(WEIGHTS)) found[`font-${name}`] = `font-weight:${value}`;
  for (let count = 1; count <= 4; count++) {
    found[`grid-cols-${count}`] = `grid-template-columns:repeat(${count},minmax(0,1fr))`;
    if (count > 1) found[`col-span-${count}`] = `grid-column:span ${count}`;
  }
  return found;
}

/** Greys by both of their common names, the accent, and thin veils of black and white. */
function colors(isDark: boolean): Declarations {
  const found: Record<string, string> = {};
  const add = (kind: 'text' | 'bg' | 'border', name: string, value: string): void => {
    const property = kind === 'text' ? 'color' : kind === 'bg' ? 'background' : 'border-color';
    found[`${kind}-${name}`] = `${property}:${value}`;
  };
  const shades = {
    text: isDark ? [50, 100, 200, 300, 400, 500] : [400, 500, 600, 700, 800, 900],
    bg: isDark ? [700, 800, 900, 950] : [50, 100, 200],
    border: isDark ? [600, 700, 800] : [100, 200, 300],
  };
  const veils = isDark
    ? {
        text: ['white/60', 'white/70', 'white/80'],
        bg: ['white/5', 'white/10', 'white/20', 'zinc-900/40'],
        border: ['white/5', 'white/10', 'white/20', 'zinc-800/40'],
      }
    : {
        text: ['zinc-950/70', 'zinc-950/80'],
        bg: ['black/5', 'zinc-950/20'],
        border: ['black/5', 'black/10', 'zinc-950/20'],
      };
  // As text, this shade has less contrast than WCAG 2.2 AA asks for (4.5:1).
  const faintest = isDark ? 500 : 400;
  for (const kind of ['text', 'bg', 'border'] as const) {
    for (const shade of shades[kind]) {
      for (const grey of ['gray', 'zinc'])
        add(
          kind,
          `${grey}-${shade}`,
          kind === 'text' && shade === faintest ? 'var(--color-faint)' : (GREYS[shade] ?? ''),
        );
    }
    for (const veil of veils[kind]) add(kind, veil, veiled(veil));
    add(kind, 'white', '#fff');
    add(kind, 'transparent', 'transparent');
    add(kind, isDark ? 'primary-light' : 'primary', PRIMARY);
  }
  if (!isDark) found['bg-primary'] = `background:${PRIMARY};color:var(--color-on-primary)`;
  return found;
}

/** `white/10`, `zinc-950/20` as a colour with alpha. */
function veiled(name: string): string {
  const [color = '', percent = '100'] = name.split('/');
  const base = color === 'white' ? '#ffffff' : color === 'black' ? '#000000' : (GREYS[color.slice(5)] ?? '');
  return (
    base +
    Math.round((Number(percent) / 100) * 255)
      .toString(16)
      .padStart(2, '0')
  );
}

function hovers(isDark: boolean): Declarations {
  const grey = (kind: string, property: string, shades: readonly number[]): Declarations =>
    Object.fromEntries(
      shades.flatMap((shade) =>
        ['gray', 'zinc'].map((name) => [`${kind}-${name}-${shade}`, `${property}:${GREYS[shade]}`]),
      ),
    );
  if (isDark)
    return { ...grey('bg', 'background', [700, 800, 900]), ...grey('border', 'border-color', [700]) };
  return {
    ...grey('bg', 'background', [50, 100]),
    ...grey('border', 'border-color', [300]),
    'border-primary': `border-color:${PRIMARY}`,
    'border-primary/60': `border-color:${PRIMARY}`,
    'text-primary': `color:${PRIMARY}`,
  };
}

function groupHovers(): Declarations {
  return {
    'text-primary': `color:${PRIMARY}`,
    'text-gray-500': `color:${GREYS[500]}`,
    'opacity-100': 'opacity:1',
    'scale-105': 'scale:1.05',
    underline: 'text-decoration:underline',
  };
}

const RESPONSIVE = /^(?:hidden|block|flex|grid|flex-row|grid-cols-[2-4]|text-[34]xl|px-[08]|py-16)$/;

function responsive(plain: ReadonlyMap<string, string>): Declarations {
  return Object.fromEntries([...plain].filter(([name]) => RESPONSIVE.test(name)));
}

/** Rules of a variant; classes with the same declarations share one. */
function rules(declarations: Declarations, prefix: string, state = ''): string {
  const selectors = new Map<string, string[]>();
  for (const [name, text] of Object.entries(declarations)) {
    const selector = `.${escapeName(prefix + name)}${state}`;
    const same = selectors.get(text);
    if (same === undefined) selectors.set(text, [selector]);
    else same.push(selector);
  }
  return [...selectors].map(([text, names]) => `${names.join(',')}{${text}}`).join('');
}

function escapeName(name: string): string {
  return name.replace(/[^\w-]/g, '\\$&');
}
