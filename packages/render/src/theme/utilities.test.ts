import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { classesOfScript, coreUtilities, utilityAsset } from './utilities.ts';

const config = {
  colors: { primary: '#123456', light: '#abcdef', dark: '#001122' },
  hasFile: (path: string) => path === 'images/a.png',
  warn: (code: string) => void warnings.push(code),
};
const warnings: string[] = [];

async function sheetOf(...classes: string[]): Promise<string> {
  const asset = utilityAsset(classes, config);
  return asset === null ? '' : String(await asset.content());
}

test('what shows one of two images needs no sheet of the page', () => {
  expect(utilityAsset(['block dark:hidden', 'hidden dark:block w-full', ''], config)).toBeNull();
  expect(coreUtilities().length).toBeLessThan(1000);
  expect(coreUtilities()).toContain('.dark\\:hidden{display:none}');
});

test('pages with the same classes share one sheet, whatever their order; other colors give another', () => {
  const path = utilityAsset(['p-4 m-2', 'flex'], config)?.path;
  expect(utilityAsset(['flex m-2', 'p-4'], config)?.path).toBe(path);
  expect(utilityAsset(['p-4'], config)?.path).not.toBe(path);
  const other = { ...config, colors: { ...config.colors, primary: '#654321' } };
  expect(utilityAsset(['p-4 m-2', 'flex'], other)?.path).not.toBe(path);
});

test('the same classes give the same bytes', async () => {
  const classes = ['dark:hover:bg-gray-700/50 md:grid-cols-3 shadow-lg ring animate-spin', 'text-[13px]'];
  expect(await sheetOf(...classes)).toBe(await sheetOf(...classes.toReversed()));
});

test.each([
  ['md:grid-cols-3', '@media (width >= 48rem){.md\\:grid-cols-3{'],
  ['hover:underline', '.hover\\:underline:hover{'],
  ['group-hover:scale-105', ':where(.group):hover .group-hover\\:scale-105'],
  ['dark:bg-white/10', ':where(html.dark,html.dark *)'],
  ['w-[37px]', '.w-\\[37px\\]{width:37px}'],
  ['[mask-type:alpha]', 'mask-type:alpha'],
  ['!mt-4', 'margin-top:calc(0.25rem * 4)!important'],
  ['-mt-4', 'margin-top:calc(0.25rem * -4)'],
  ['aspect-[2/1]', 'aspect-ratio:2/1'],
  ['bg-gradient-to-r', 'linear-gradient('],
  ['line-clamp-2', '-webkit-line-clamp:2'],
  ['space-y-4', ':where(.space-y-4 > :not(:last-child))'],
  ['sm:max-w-screen-lg', 'max-width:64rem'],
  ['animate-spin', '@keyframes spin'],
])('%s has its rule', async (name, text) => {
  expect((await sheetOf(name)).replaceAll(' !important', '!important').replaceAll(', ', ',')).toContain(text);
});

test.each([
  ['flex-shrink-0', 'flex-shrink:0'],
  ['flex-grow', 'flex-grow:1'],
  ['shadow-sm', '0 1px 2px 0'],
  ['shadow', '0 1px 3px 0'],
  ['rounded-sm', 'border-radius:0.125rem'],
  ['rounded', 'border-radius:0.25rem'],
  ['blur-sm', 'blur(4px)'],
  ['ring', 'calc(3px + var(--tw-ring-offset-width))'],
  ['outline-none', 'outline:2px solid transparent'],
  ['overflow-ellipsis', 'text-overflow:ellipsis'],
  ['bg-[--mine]', '.bg-\\[--mine\\]{background-color:var(--mine)}'],
  ['text-gray-600', 'color:#52525b'],
  ['bg-zinc-400', 'background-color:#a1a1aa'],
  ['text-gray-400', 'color:light-dark(var(--color-faint),#a1a1aa)'],
])('%s means what it meant in version 3', async (name, text) => {
  expect(await sheetOf(name)).toContain(text);
});

test('an opacity beside a color is the opacity of that color', async () => {
  const css = await sheetOf('bg-black bg-opacity-50 dark:bg-white dark:bg-opacity-10');
  expect(css).toMatch(/\.bg-black\.bg-opacity-50\{background-color:[^}]*50%/);
  expect(css).toMatch(/\.dark\\:bg-white\.dark\\:bg-opacity-10[^}]*10%/);
});

test('borders without a color have that of the theme, with a lower priority than every class', async () => {
  const css = await sheetOf('border-2 border-red-500');
  expect(css).toMatch(
    /^@layer base,theme,utilities;@layer utilities\{:where\([^)]*\)\{border-color:var\(--color-border\)\}/,
  );
  expect(css.indexOf('.border-red-500')).toBeGreaterThan(0);
});

test('the color names of the site refer to its colors', async () => {
  expect(await sheetOf('bg-primary')).toContain('background-color:#123456');
  expect(await sheetOf('text-primary')).toContain('color:var(--color-primary)');
  expect(await sheetOf('dark:text-primary-light')).toContain('color:#abcdef');
  expect(await sheetOf('border-primary-dark/40')).toContain('#001122');
});

test('a sheet holds what is asked for, no reset, no variables of the page and nothing of other hosts', async () => {
  const css = await sheetOf('p-4', "bg-[url('https://evil.example/x.png')] bg-[url('/images/a.png')]");
  expect(css).not.toMatch(/evil|:root|box-sizing|font-size/);
  expect(css).toMatch(/url\("\.\.\/\.\.\/images\/a\.png"\)/);
  expect(await sheetOf('nothing-known my-card')).toBe('');
  warnings.length = 0;
  expect(await sheetOf("bg-[url('/images/gone.png')] bg-[url(https:evil.example)] bg-[url(a.png)]")).toBe('');
  expect(warnings).toEqual(['missing-asset', 'remote-file', 'missing-asset']);
});

test('classes in the texts of a script are found', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the script is this text
  const words = classesOfScript('const a = `flex ${on ? "bg-red-500" : \'p-1.5\'} md:w-[3px]`; // no').split(
    ' ',
  );
  expect(words).toEqual(expect.arrayContaining(['flex', 'bg-red-500', 'p-1.5', 'md:w-[3px]']));
});

test('none of the classes of every page has the name of a part of the theme', () => {
  const folder = new URL('./styles/', import.meta.url);
  const own = new Set(
    readdirSync(folder).flatMap((name) => {
      const sheet = readFileSync(new URL(name, folder), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
      return [...sheet.matchAll(/\.([a-z][\w-]*)(?=[^{};]*\{)/g)].map((match) => match[1] ?? '');
    }),
  );
  expect(own.has('op-card')).toBe(true);
  const names = [...coreUtilities().matchAll(/\.((?:\\.|[\w-])+)/g)].map((match) => match[1] ?? '');
  expect(names.filter((name) => name !== 'not-prose' && own.has(name))).toEqual(
    ['dark', 'js', 'light'].filter((name) => own.has(name) && names.includes(name)),
  );
});

test('a page with more classes than any layout needs is cut, with a warning', async () => {
  warnings.length = 0;
  const css = await sheetOf(Array.from({ length: 3000 }, (_, at) => `w-[${at}px]`).join(' '));
  expect(warnings).toEqual(['page-too-large']);
  expect(css.match(/width:/g)).toHaveLength(2000);
});

test.each([
  '[&:is(]:flex',
  'w-[calc(]',
  'bg-[;}body{display:none]',
  'p-[\\]',
  '[color:red;}x{y:z]',
  'w-[{}]',
])('a class that is none breaks nothing: %s', async (name) => {
  const css = await sheetOf(`p-4 ${name}`);
  expect(css).toContain('.p-4{');
  expect(css.split('{').length).toBe(css.split('}').length);
  expect(css).not.toMatch(/[;}]body\{|\}x\{/);
});
