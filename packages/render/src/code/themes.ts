import { suggestName } from '../config/suggest-name.ts';
import type { SiteConfig } from '../site.ts';
import { formatHex, parseHex, readableShade, toOklch } from '../theme/color.ts';
import type { Warn } from '../warning.ts';
import { TOKEN_CLASSES } from './spans.ts';

/** Background, text, then keyword, string, comment, number, function, type, property, builtin, special; hex without `#`. */
const PALETTES: Readonly<Record<string, string>> = {
  andromeeda: '23262e d5ced9 c74ded 96e072 a0a1a7 f39c12 ffe66d ffe66d 00e8c6 00e8c6 f92672',
  'aurora-x': '07090f bbbbbb 86a5ff c7ea46 546e7a ffcb8b 82aaff ffb86b c792ea ff5874 f78c6c',
  'ayu-dark': '0b0e14 bfbdb6 ff8f40 aad94c acb6bf d2a6ff ffb454 59c2ff 39bae6 f07178 39bae6',
  'ayu-light': 'fcfcfc 5c6166 fa8d3e 86b300 787b80 a37acc f2ae49 399ee6 55b4d4 f07171 55b4d4',
  'ayu-mirage': '242936 cccac2 ffad66 d5ff80 b8cfe6 dfbfff ffd173 73d0ff 5ccfe6 f28779 5ccfe6',
  'catppuccin-frappe': '303446 c6d0f5 ca9ee6 a6d189 949cbb ef9f76 8caaee e5c890 8caaee e78284 f4b8e4',
  'catppuccin-latte': 'eff1f5 4c4f69 8839ef 40a02b 7c7f93 fe640b 1e66f5 df8e1d 1e66f5 d20f39 ea76cb',
  'catppuccin-macchiato': '24273a cad3f5 c6a0f6 a6da95 939ab7 f5a97f 8aadf4 eed49f 8aadf4 ed8796 f5bde6',
  'catppuccin-mocha': '1e1e2e cdd6f4 cba6f7 a6e3a1 9399b2 fab387 89b4fa f9e2af 89b4fa f38ba8 f5c2e7',
  'dark-plus': '1e1e1e d4d4d4 c586c0 ce9178 6a9955 b5cea8 dcdcaa 4ec9b0 9cdcfe 569cd6 d7ba7d',
  dracula: '282a36 f8f8f2 ff79c6 f1fa8c 6272a4 bd93f9 50fa7b 8be9fd 66d9ef bd93f9 ffb86c',
  'everforest-dark': '2d353b d3c6aa e67e80 a7c080 859289 d699b6 a7c080 dbbc7f 83c092 d699b6 e69875',
  'everforest-light': 'fdf6e3 5c6a72 f85552 8da101 939f91 df69ba 8da101 dfa000 35a77c df69ba f57d26',
  'github-dark': '24292e e1e4e8 f97583 9ecbff 6a737d 79b8ff b392f0 b392f0 79b8ff 79b8ff 85e89d',
  'github-dark-default': '0d1117 e6edf3 ff7b72 a5d6ff 8b949e 79c0ff d2a8ff ffa657 79c0ff 79c0ff 7ee787',
  'github-dark-high-contrast': '0a0c10 f0f3f6 ff9492 addcff bdc4cc 91cbff dbb7ff ffb757 91cbff 91cbff 72f088',
  'github-dark-dimmed': '22272e adbac7 f47067 96d0ff 768390 6cb6ff dcbdfb f69d50 6cb6ff 6cb6ff 8ddb8c',
  'github-light': 'ffffff 24292e d73a49 032f62 6a737d 005cc5 6f42c1 6f42c1 005cc5 005cc5 22863a',
  'github-light-default': 'ffffff 1f2328 cf222e 0a3069 6e7781 0550ae 8250df 953800 0550ae 0550ae 116329',
  'github-light-high-contrast':
    'ffffff 0e1116 a0111f 032563 66707b 023b95 622cbc 702c00 023b95 023b95 024c1a',
  'gruvbox-dark': '282828 ebdbb2 fb4934 b8bb26 928374 d3869b fabd2f fabd2f 83a598 d3869b fe8019',
  'gruvbox-light': 'fbf1c7 3c3836 9d0006 79740e 928374 8f3f71 b57614 b57614 076678 8f3f71 af3a03',
  houston: '17191e eef0f9 54b9ff ffd493 6b7280 4bf3c8 00daef acafff acafff 4bf3c8 cc75f4',
  'kanagawa-dragon': '181616 c5c9c5 8992a7 8a9a7b 737c73 a292a3 8ba4b0 8ea4a2 c4b28a b6927b c4746e',
  'kanagawa-lotus': 'f2ecbc 545464 624c83 6f894e 8a8980 b35b79 4d699b 597b75 77713f cc6d00 c84053',
  'kanagawa-wave': '1f1f28 dcd7ba 957fb8 98bb6c 727169 d27e99 7e9cd8 7aa89f e6c384 ffa066 e46876',
  laserwave: '27212e ffffff 40b4c4 b4dce7 91889b b381c5 eb64b9 ffe261 40b4c4 b381c5 74dfc4',
  'light-plus': 'ffffff 000000 af00db a31515 008000 098658 795e26 267f99 001080 0000ff 800000',
  'material-theme': '263238 eeffff c792ea c3e88d 546e7a f78c6c 82aaff ffcb6b f07178 89ddff f78c6c',
  'material-theme-darker': '212121 eeffff c792ea c3e88d 545454 f78c6c 82aaff ffcb6b f07178 89ddff f78c6c',
  'material-theme-lighter': 'fafafa 90a4ae 9c3eda 91b859 90a4ae f76d47 6182b8 e2931d e53935 39adb5 f76d47',
  'material-theme-ocean': '0f111a babed8 c792ea c3e88d 464b5d f78c6c 82aaff ffcb6b f07178 89ddff f78c6c',
  'material-theme-palenight': '292d3e babed8 c792ea c3e88d 676e95 f78c6c 82aaff ffcb6b f07178 89ddff f78c6c',
  'min-dark': '1f1f1f d4d4d4 f97583 ffab70 6b737c f8f8f8 b392f0 b392f0 79b8ff 79b8ff ffab70',
  'min-light': 'ffffff 212121 d32f2f 22863a c2c3c5 1976d2 6f42c1 6f42c1 1976d2 1976d2 ff9800',
  monokai: '272822 f8f8f2 f92672 e6db74 88846f ae81ff a6e22e 66d9ef a6e22e ae81ff fd971f',
  'night-owl': '011627 d6deeb c792ea ecc48d 637777 f78c6c 82aaff ffcb8b 7fdbca ff5874 caece6',
  nord: '2e3440 d8dee9 81a1c1 a3be8c 616e88 b48ead 88c0d0 8fbcbb 8fbcbb 81a1c1 d08770',
  'one-dark-pro': '282c34 abb2bf c678dd 98c379 7f848e d19a66 61afef e5c07b e06c75 d19a66 56b6c2',
  'one-light': 'fafafa 383a42 a626a4 50a14f a0a1a7 986801 4078f2 c18401 e45649 986801 0184bc',
  plastic: '21252b a9b2c3 b57edc 98c379 5f6672 d19a66 61afef e5c07b e06c75 56b6c2 e06c75',
  poimandres: '1b1e28 a6accd 5de4c7 5de4c7 767c9d 5de4c7 add7ff add7ff add7ff d0679d fae4fc',
  red: '390000 f8f8f8 f12727 cd8d8d e7c0c0 994646 ffb454 9df39f fb9a4b fb9a4b fb9a4b',
  'rose-pine': '191724 e0def4 31748f f6c177 6e6a86 ebbcba ebbcba 9ccfd8 9ccfd8 ebbcba c4a7e7',
  'rose-pine-dawn': 'faf4ed 575279 286983 ea9d34 9893a5 d7827e d7827e 56949f 56949f d7827e 907aa9',
  'rose-pine-moon': '232136 e0def4 3e8fb0 f6c177 6e6a86 ea9a97 ea9a97 9ccfd8 9ccfd8 ea9a97 c4a7e7',
  'slack-dark': '222222 e6e6e6 c586c0 ce9178 6a9955 b5cea8 dcdcaa 4ec9b0 9cdcfe 569cd6 d7ba7d',
  'slack-ochin': 'ffffff 000000 7b30d0 a44185 357b42 174781 7eb233 0444ac 2f86d2 174781 800000',
  'snazzy-light': 'fafbfc 565869 f767bb cf9c00 adb1c2 f5b900 09a1ed 9a77cf 13bbb7 9a77cf ff5c56',
  'solarized-dark': '002b36 839496 859900 2aa198 586e75 d33682 268bd2 cb4b16 268bd2 b58900 dc322f',
  'solarized-light': 'fdf6e3 657b83 859900 2aa198 93a1a1 d33682 268bd2 cb4b16 268bd2 b58900 dc322f',
  'synthwave-84': '262335 ffffff fede5d ff8b39 848bbd f97e72 36f9f6 fe4450 ff7edb f97e72 72f1b8',
  'tokyo-night': '1a1b26 a9b1d6 bb9af7 9ece6a 51597d ff9e64 7aa2f7 0db9d7 7dcfff ff9e64 f7768e',
  vesper: '101010 ffffff a0a0a0 99ffe4 8b8b8b ffc799 ffc799 ffc799 ffffff ffc799 ff8080',
  'vitesse-black': '000000 dbd7ca 4d9375 c98a7d 758575 4c9a91 80a665 5da994 b8a965 c99076 cb7676',
  'vitesse-dark': '121212 dbd7ca 4d9375 c98a7d 758575 4c9a91 80a665 5da994 b8a965 c99076 cb7676',
  'vitesse-light': 'ffffff 393a34 1e754f b56959 a0ada0 2f798a 59873a 2e8f82 998418 a65e2b ab5959',
};

const TOKENS = [
  'keyword',
  'string',
  'comment',
  'number',
  'function',
  'type',
  'property',
  'builtin',
  'special',
] as const;

/** Names that the format gives to the colors of a site's own style sheet, for the theme `css-variables`. */
const VARIABLES = {
  keyword: 'keyword',
  string: 'string',
  comment: 'comment',
  number: 'constant',
  function: 'function',
  type: 'function',
  property: 'parameter',
  builtin: 'constant',
  special: 'string-expression',
} as const;

/** Whether a named theme has a light background; null if the theme is unknown. */
export function isLightTheme(name: string): boolean | null {
  const ground = paletteOf(name)?.[0];
  const rgb = ground === undefined ? null : parseHex(ground);
  return rgb === null ? null : toOklch(rgb)[0] > 0.6;
}

function paletteOf(name: string): string[] | null {
  const key = name.toLowerCase();
  const found = [key, key.replace(/-(?:soft|hard|medium)$/, '')].find((each) =>
    Object.hasOwn(PALETTES, each),
  );
  return found === undefined ? null : (PALETTES[found] ?? '').split(' ').map((color) => `#${color}`);
}

/** Rules for the background and the colors of code that `styling.codeblocks` asks for; empty for those of the site's theme. */
export function codeThemeCss(config: SiteConfig, warn: Warn): string {
  const css = screenCss(config, warn);
  // Paper has no background color, so colors for a dark one would not be readable.
  return css === '' ? '' : `@media not print{${css}}`;
}

function themeHint(name: string): string {
  const suggestion = suggestName(name, Object.keys(PALETTES));
  return suggestion === null
    ? 'Use a supported theme, such as "github-light".'
    : `Did you mean "${suggestion}"?`;
}

function screenCss(config: SiteConfig, warn: Warn): string {
  const { mode, themes } = config.styling.codeblocks;
  const scheme = mode === 'system' ? '' : `${BLOCKS}{color-scheme:${mode}}`;
  if (themes === null) return scheme;
  if (themes.light === 'css-variables' || themes.dark === 'css-variables') return scheme + variablesCss();
  const unknown = [...new Set([themes.light, themes.dark])].filter((name) => paletteOf(name) === null);
  for (const name of unknown)
    warn({
      file: config.file,
      line: null,
      code: 'config-value',
      message: `Unknown code theme "${name}". Code uses the default colors, light or dark as the name of the theme suggests. ${themeHint(name)}`,
    });
  const light = paletteOf(themes.light);
  const dark = paletteOf(themes.dark);
  return light === null || dark === null ? scheme : scheme + paletteCss(light, dark);
}

const BLOCKS = '.op-code-block,.op-code-group';

function variablesCss(): string {
  const rules = Object.entries(VARIABLES).map(([token, given]) => {
    const name = TOKEN_CLASSES[token as keyof typeof VARIABLES];
    return `.op-code-block .${name}{color:var(--mint-token-${given},var(--code-${token}))}`;
  });
  const ground = '--code-ground:var(--mint-color-background,var(--color-raised))';
  return `${BLOCKS}{${ground};--code-text:var(--mint-color-text,var(--color-text))}${rules.join('')}`;
}

/** Both palettes; the theme of the page picks one. Colors with too little contrast are made readable. */
function paletteCss(light: readonly string[], dark: readonly string[]): string {
  const names = ['ground', 'text', ...TOKENS];
  const rules = names.map(
    (name, index) => `--code-${name}:light-dark(${shade(light, index)},${shade(dark, index)})`,
  );
  return `${BLOCKS}{${rules.join(';')}}`;
}

function shade(palette: readonly string[], index: number): string {
  const color = palette[index] ?? '#000000';
  const ground = parseHex(palette[0] ?? '');
  const rgb = parseHex(color);
  return index === 0 || ground === null || rgb === null ? color : formatHex(readableShade(rgb, ground));
}
