import { describe, expect, test } from 'vitest';
import { renderBody } from '../../../test/mdx-page.ts';

const inSvg = (element: string): string =>
  `<svg viewBox="0 0 9 9"><a href="https://ok.test/"><rect>${element}</rect></a></svg>\n`;

describe('an animation in SVG', () => {
  test.each([
    ['<animate attributeName="r" values="1;4;1" dur="1s" repeatCount="indefinite" />'],
    ['<animate attributeName="fill" from="#fff" to="rgb(0, 0, 0)" begin="0s;a.end+1s" />'],
    ['<animateTransform attributeName="transform" type="rotate" from="0 9 9" to="360 9 9" dur="2s" />'],
    [
      '<animateMotion path="M0 0L9 9" dur="2s" rotate="auto" keyPoints="0;1" keyTimes="0;1" calcMode="linear" />',
    ],
    ['<set attributeName="visibility" to="hidden" begin="click" />'],
  ])('of shapes, colors and positions stays: %s', (element) => {
    const { html, warnings } = renderBody(inSvg(element));
    expect(html).toContain(element.replace(/ \/>$/, '>'));
    expect(warnings).toEqual([]);
  });

  test('keeps the capitals of its names inside a line of text, where expressions set them', () => {
    const { html } = renderBody(
      'Text <svg><g><animateTransform attributeName={"transform"} repeatCount={2} /></g></svg>\n',
    );
    // A parser of HTML has these names in lower case.
    const written = '<animateTransform attributeName="transform" repeatCount="2"></animateTransform>';
    expect(html).toContain(written);
  });

  test.each([
    ['<set attributeName="href" to="javascript:alert(1)" />'],
    ['<animate attributeName="href" values="javascript:alert(1);/x" />'],
    ['<animate attributeName="xlink:href" from="/x" to="javascript:alert(1)" />'],
    ['<animate attributeName="HREF" by="javascript:alert(1)" />'],
    ['<animate attributeName=" href" to="x" />'],
    ['<animate attributeName={"hr" + "ef"} to="x" />'],
    ['<animate attributeName={["href"]} to="x" />'],
    ['<animate {...{ attributeName: "href", to: "javascript:alert(1)" }} />'],
    ['<set attributeName="onclick" to="alert(1)" />'],
    ['<set attributeName="onmouseover" to="alert(1)" />'],
    ['<set attributeName="style" to="background:url(https://e.example/x)" />'],
    ['<set attributeName="class" to="x" />'],
    ['<set attributeName="id" to="x" />'],
    ['<set attributeName="filter" to="url(https://e.example/x#a)" />'],
    ['<set attributeName="mask" to="url(#a)" />'],
    ['<set attributeName="fill" to="url(https://e.example/x#a)" />'],
    ['<set attributeName="fill" to="\\75rl(https://e.example/x)" />'],
    ['<animate attributeName="fill" values={"#fff;url(//e.example/x)"} />'],
    ['<animate attributeName="fill" from="javascript&colon;alert(1)" />'],
    ['<animate to="javascript:alert(1)" />'],
    ['<animateTransform attributeName="href" to="javascript:alert(1)" />'],
    ['<animateMotion attributeName="href" path="M0 0" />'],
    ['<set to="x" />'],
  ])('of a link, a handler, a style or anything that loads is removed, with a warning: %s', (element) => {
    const { html, warnings } = renderBody(inSvg(element));
    expect(html).not.toMatch(/<(?:animate|set)/i);
    expect(html).not.toMatch(/javascript|e\.example|attributeName/);
    expect(warnings.map(({ code }) => code)).toContain('removed-element');
  });

  test.each([
    ['href="#other"'],
    ['xlinkHref="#other"'],
    ['xlink:href="javascript:alert(1)"'],
    ['onbegin="alert(1)"'],
    ['onEnd={() => alert(1)}'],
    ['attributename="href"'],
    ['ATTRIBUTENAME="href"'],
    ['style="background:url(x)"'],
    ['xmlns="http://www.w3.org/1999/xhtml"'],
  ])('loses attributes with which it could reach further: %s', (attribute) => {
    const { html } = renderBody(inSvg(`<animate ${attribute} attributeName="opacity" to="0" />`));
    // The capitals of names matter, which a parser of HTML does not keep.
    const tag = /<animate([^>]*)>/;
    const written = tag.exec(html)?.[1] ?? '';
    expect(written).not.toMatch(/href|on\w+=|attributename|style|xmlns/);
    expect(written).not.toContain('javascript');
  });

  test('is not the only way to load: attributes of shapes with CSS escapes and image functions are removed too', () => {
    const { html } = renderBody(
      '<svg><rect fill="\\75rl(https://e.example/x)" mask="image-set(\'https://e.example/y\')" filter="url( #ok )" clipPath="url(#ok)" aria-label="C:\\\\x" /></svg>\n',
    );
    expect(html).not.toContain('e.example');
    expect(html).toContain('clip-path="url(#ok)"');
    expect(html).toContain('aria-label="C:');
  });
});
