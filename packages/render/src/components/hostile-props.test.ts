import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readHtml, type Shown } from '../../test/dom.ts';
import { createTestPage, element, fence } from '../../test/page-scope.ts';
import type { Value } from '../tree.ts';
import type { Component } from './component.ts';
import { components } from './index.ts';
import { htmlOf } from './markup.ts';
import type { Prop } from './schema.ts';
import { sideView } from './side.ts';

const MARK = 'zqzq';
const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    `"><${MARK}>`,
    `' ${MARK}=1 "`,
    `" ${MARK}="1`,
    `" on${MARK}="1`,
    `</code></pre><${MARK}>`,
    `<!--<${MARK}>-->`,
    `javascript:${MARK}`,
    ` JavaScript:${MARK}`,
    `data:text/html,<${MARK}>`,
    `#fff" ${MARK}="`,
    `red;background:url(//${MARK})`,
    `a\n" ${MARK}=x`,
    `]]><${MARK}>`,
    '\u0000<\u2028',
    '{{}}`' + '$' + '{1}',
  ),
);
const hostileValue: fc.Arbitrary<Value> = fc.oneof(
  { weight: 6, arbitrary: hostileText },
  fc.boolean(),
  fc.double(),
  fc.constant(null),
  fc.array(hostileText, { maxLength: 3 }),
  fc.record({ light: hostileText, dark: hostileText }),
  fc.record({ color: hostileText, '--x': hostileText, background: fc.constant(`url(//${MARK})`) }),
);

/** Values that a prop accepts, alone and with an attribute after them: most code runs only for a valid value. */
function valuesOf({ values }: Prop<unknown>): fc.Arbitrary<Value> {
  const names = [...values.matchAll(/`([^`]*)`/g)].map(([, name = '']) => name);
  const written = names.map((name) => name.replace(/^"|"$/g, ''));
  const known = [
    ...written,
    ...(/color/.test(values) ? ['#fff', 'red'] : []),
    ...(/URL/.test(values) ? ['/x'] : []),
  ];
  const accepted: Value[] = known.flatMap((text) => [text, `${text}" ${MARK}="1`, [text, `<${MARK}>`]]);
  return fc.oneof({ weight: 3, arbitrary: hostileValue }, fc.constantFrom(true, 2, ...accepted));
}

/** Props of a component by its definition, those of every component, and some that no component has. */
function propsOf({ props }: Component): fc.Arbitrary<Record<string, Value>> {
  const others = [
    'id',
    'className',
    'class',
    'style',
    'children',
    `data-${MARK}`,
    MARK,
    `on${MARK}`,
    'onClick',
  ];
  const known = Object.entries(props).map(([name, prop]) => [name, valuesOf(prop)] as const);
  const unknown = others.map((name) => [name, hostileValue] as const);
  return fc.record(Object.fromEntries([...unknown, ...known]), { requiredKeys: [] });
}

describe('hostile props', () => {
  it.each(Object.entries(components))('no prop or text of %s breaks out of its place', (name, component) => {
    fc.assert(
      fc.property(
        propsOf(component),
        propsOf(component),
        hostileText,
        hostileText,
        (props, more, text, code) => {
          const page = createTestPage();
          page.variations = [
            { id: 'a', label: text },
            { id: 'b', label: code },
          ];
          const inner = element(name, { ...more, ...('is' in component.props ? { is: 'a' } : {}) }, code);
          const html =
            page.html([element(name, props, text, fence(text, code, text), inner)]) +
            htmlOf(sideView(page)?.view ?? null);
          expect(syntaxErrorOf(html)).toBeNull();
          expect(
            readHtml(html)
              .map(foreignPartOf)
              .filter((part) => part !== null),
          ).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('finds words that became a tag, an attribute, a URL or a style, and HTML that is not well-formed', () => {
    const foreign = [
      `<${MARK}></${MARK}>`,
      '<script></script>',
      '<b onclick="x"></b>',
      `<b ${MARK}="1"></b>`,
      `<b data-${MARK}="1"></b>`,
      '<a href="java&#115;cript:x"></a>',
      '<img src=" data:x">',
      '<b style="a:url(//x)"></b>',
    ];
    for (const html of foreign) expect(readHtml(html).map(foreignPartOf), html).toEqual([expect.any(String)]);
    expect(readHtml('<a href="/x" data-a="onclick" style="color:red">zqzq</a>').map(foreignPartOf)).toEqual([
      null,
    ]);
    for (const html of [
      '<b>',
      '</b>',
      '<b></i>',
      'a > b',
      '<b a=1></b>',
      '<b a="1"b="2"></b>',
      '<b a="1" a="2"></b>',
    ])
      expect(syntaxErrorOf(html), html).not.toBeNull();
  });
});

/** The one attribute that may hold declarations, none of which loads or runs anything. */
const UNSAFE_STYLE = /url\s*\(|expression\s*\(|@import|[{}]/i;

/** What a word of a stranger has become in an element besides text and values of attributes; null if nothing. */
function foreignPartOf({ tag, attributes }: Shown): string | null {
  if (tag === 'script' || tag === 'style' || tag.includes(MARK)) return `<${tag}>`;
  for (const [name, value] of Object.entries(attributes)) {
    const isUrl = name === 'href' || name === 'src';
    const isForeign =
      /^on/i.test(name) ||
      name.includes(MARK) ||
      (isUrl && /^\s*(?:javascript|data|vbscript):/i.test(value)) ||
      (name === 'style' && UNSAFE_STYLE.test(value));
    if (isForeign) return `${name}="${value}" of <${tag}>`;
  }
  return null;
}

const TAG = /<(\/?)([a-z][a-z0-9]*)((?: [a-zA-Z][a-zA-Z-]*(?:="[^"<>]*")?)*)(\/?)>/y;
const VOID = new Set(['img', 'br', 'input']);

/** What is not well-formed, or null. It reads the bytes: parsers of HTML repair what they read. */
function syntaxErrorOf(html: string): string | null {
  const open: string[] = [];
  let at = 0;
  while (at < html.length) {
    if (html[at] !== '<') {
      if (html[at] === '>') return `stray > at ${html.slice(Math.max(0, at - 40), at + 20)}`;
      at++;
      continue;
    }
    TAG.lastIndex = at;
    const match = TAG.exec(html);
    if (match === null) return `no tag at ${html.slice(at, at + 60)}`;
    const [tag, slash, name = '', attributes = '', selfClosing] = match;
    const names = [...attributes.replace(/"[^"]*"/g, '').matchAll(/[a-zA-Z-]+/g)].map(String);
    if (new Set(names).size < names.length) return `an attribute twice in ${tag}`;
    if (slash === '/') {
      if (open.pop() !== name) return `unbalanced </${name}>`;
    } else if (selfClosing === '' && !VOID.has(name)) open.push(name);
    at = TAG.lastIndex;
  }
  return open.length === 0 ? null : `unclosed <${open.join('> <')}>`;
}
