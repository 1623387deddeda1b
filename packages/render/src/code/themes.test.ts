import { describe, expect, test } from 'vitest';
import { findOne } from '../../test/dom.ts';
import type { CodeBlocks, SiteConfig } from '../site.ts';
import { renderCode } from './index.ts';
import { codeThemeCss, isLightTheme } from './themes.ts';

function cssOf(codeBlocks: Partial<CodeBlocks>): { css: string; warnings: string[] } {
  const warnings: string[] = [];
  const config = {
    file: 'docs.json',
    styling: { codeblocks: { mode: 'system', themes: null, grammars: [], ...codeBlocks } },
  } as unknown as SiteConfig;
  const css = codeThemeCss(config, ({ message }) => warnings.push(message));
  return { css, warnings };
}

describe('themes of code', () => {
  test('`system` changes nothing, `dark` is dark on every page', () => {
    expect(cssOf({}).css).toBe('');
    expect(cssOf({ mode: 'dark' }).css).toContain('color-scheme:dark');
  });

  test('a named theme sets its colors, readable on its background', () => {
    const { css, warnings } = cssOf({ themes: { light: 'snazzy-light', dark: 'dark-plus' } });
    // Blocks in a group have the ground of the group.
    expect(css).toContain('.op-code-block,.op-code-group{--code-ground:light-dark(#fafbfc,#1e1e1e)');
    expect(css).toContain('#ce9178');
    expect(css).not.toContain('#adb1c2');
    expect(warnings).toEqual([]);
  });

  test('the colors of `css-variables` are those of the site, with default colors for missing ones', () => {
    const { css } = cssOf({ themes: { light: 'css-variables', dark: 'css-variables' } });
    expect(css).toContain('.op-code-block .tk{color:var(--mint-token-keyword,var(--code-keyword))}');
    expect(css).toContain('var(--mint-color-background,');
  });

  test('an unknown theme is a warning once', () => {
    const { css, warnings } = cssOf({ mode: 'dark', themes: { light: 'my-own', dark: 'my-own' } });
    expect(css).toContain('color-scheme:dark');
    expect(warnings).toHaveLength(1);
  });

  test.each(['material-theme-ocean', 'material-theme-lighter', 'kanagawa-lotus', 'kanagawa-dragon'])(
    'the variant %s of a family is known',
    (name) => expect(isLightTheme(name)).toBe(/light|lotus/.test(name)),
  );

  test('the variants of a family with more contrast are themes too', () => {
    const themes = { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' };
    const { css, warnings } = cssOf({ themes });
    expect(css).toContain('--code-ground:light-dark(#ffffff,#0a0c10)');
    expect(css).toContain('--code-keyword:light-dark(#a0111f,#ff9492)');
    expect(warnings).toEqual([]);
  });

  test('names say whether a theme is light', () => {
    expect(isLightTheme('rose-pine-dawn')).toBe(true);
    expect(isLightTheme('Dracula')).toBe(false);
    expect(isLightTheme('constructor')).toBeNull();
  });

  test('a fence may be light or dark by itself', () => {
    const looks = ['theme=dracula', 'theme={"github-light"}', null].map((meta) =>
      findOne(renderCode('x', 'js', meta), { class: 'code-block' }).classes.filter((name) =>
        /dark|light/.test(name),
      ),
    );
    expect(looks).toEqual([[expect.stringMatching(/dark/)], [expect.stringMatching(/light/)], []]);
  });

  test('twoslash shows the code without what only the type checker reads', () => {
    const html = renderCode(
      '// @errors: 2322\nhidden();\n// ---cut---\nconst a = 1;\n//    ^?\n',
      'ts',
      'twoslash Title',
    );
    expect(html).not.toMatch(/hidden|@errors|\^\?|cut/);
    expect(html).toContain('Title');
  });
});
