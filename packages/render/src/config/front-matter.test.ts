import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuTime } from '../../test/cpu-time.ts';
import { readFrontMatter, readYaml } from './front-matter.ts';
import { readPlainFields } from './plain-fields.ts';

describe('front matter', () => {
  test('is split from the body, with the number of lines before it', () => {
    expect(readFrontMatter('---\ntitle: Start\nhidden: true\n---\n\n# Hi\n')).toEqual({
      frontMatter: { title: 'Start', hidden: true },
      body: '\n# Hi\n',
      bodyLine: 4,
      fault: null,
      unread: null,
    });
    expect(readFrontMatter('no front matter')).toMatchObject({
      frontMatter: {},
      body: 'no front matter',
      bodyLine: 0,
    });
    expect(readFrontMatter('---\r\na: b\r\n---\r\nx')).toMatchObject({
      frontMatter: { a: 'b' },
      body: 'x',
      bodyLine: 3,
    });
    expect(readFrontMatter('---\n---\nx')).toMatchObject({
      frontMatter: {},
      body: 'x',
      bodyLine: 2,
      fault: null,
    });
    expect(readFrontMatter('---\na: b\n---')).toMatchObject({ frontMatter: { a: 'b' }, body: '' });
  });

  test('a thematic break at the start is none', () => {
    for (const text of ['---\n\nText\n\n---\n', '----\na: b\n----\n', '---', '---\nhello\n\ntext']) {
      const read = readFrontMatter(text);
      expect(read.frontMatter).toEqual({});
      if (!text.startsWith('---\n\n')) expect(read.body).toBe(text);
    }
  });

  test('invalid YAML is none, with the line in the file', () => {
    const read = readFrontMatter('---\ntitle: x\ndescription: a: b\n---\nBody');
    expect(read).toMatchObject({ frontMatter: {}, body: 'Body', bodyLine: 4, fault: { line: 3 } });
    expect(read.fault?.message).toContain('front matter was ignored');
    expect(readFrontMatter('---\n- a\n- b\n---\n').fault).toMatchObject({ line: 2 });
    expect(readFrontMatter('---\ntitle: x\n\nBody without end').fault?.message).toContain('no closing "---"');
  });

  test.each([
    ['title: Hello: world', 2, 'Write `title: "Hello: world"`.'],
    ['a: 1\ntitle: @home', 3, 'a value that starts with "@" needs quotes. Write `title: "@home"`.'],
    ['title: `code`', 2, 'a value that starts with "`" needs quotes.'],
    ['description: %x', 2, 'Write `description: "%x"`.'],
    ['a: 1\ntitle: "x\nsidebarTitle: y', 3, 'a quote is not closed. Add the closing quote.'],
    [
      "title: 'It's'",
      2,
      'text follows the closing quote. To write a quote in a text, use the other kind around it: `title: "It\'s"`.',
    ],
    ['title: "a\\d"', 2, 'Use single quotes, or write two backslashes.'],
    ['title: a\n\tdescription: x: y', 3, 'a line is indented with a tab. Use spaces.'],
    [' title: a\ndescription: x', 3, 'Start all keys in the same column.'],
    ['title\ndescription: x', 2, 'each line must be "key: value".'],
  ])('names line, cause and way out of %j', (block, line, message) => {
    const { frontMatter, fault } = readFrontMatter(`---\n${block}\n---\nBody`);
    expect(frontMatter).toEqual({});
    expect(fault?.message).toContain(message);
    expect(fault?.line).toBe(line);
  });

  test('other languages are never run: skipped with an error', () => {
    for (const language of ['js', 'javascript', 'coffee', 'ts']) {
      const read = readFrontMatter(`---${language}\nthrow new Error('ran')\n---\nBody`);
      expect(read).toMatchObject({ frontMatter: {}, body: 'Body', fault: { line: 1 } });
    }
    expect(readFrontMatter('---json\n{ "a": 1 }\n---\n').frontMatter).toEqual({ a: 1 });
    expect(readFrontMatter('---yaml\na: 1\n---\n').frontMatter).toEqual({ a: 1 });
  });

  test('simple TOML is read, other TOML is an error', () => {
    expect(readFrontMatter('+++\ntitle = "A"\nweight = 3\ndraft = false\n+++\nB')).toMatchObject({
      frontMatter: { title: 'A', weight: 3, draft: false },
      body: 'B',
      fault: null,
    });
    expect(readFrontMatter('+++\n# note\ntitle = "A"\n\n[table]\nx = 1\n+++\nB')).toMatchObject({
      frontMatter: { title: 'A' },
      fault: null,
    });
    const hidden = readFrontMatter('+++\ntitle = "A"\n[access]\ngroups = ["x"]\n+++\nB');
    expect(hidden).toMatchObject({ frontMatter: {}, unread: expect.stringContaining('groups') });
    expect(readFrontMatter('+++\nwhen = 2024-01-01\n+++\nB')).toMatchObject({
      frontMatter: {},
      body: 'B',
      fault: { line: 1 },
    });
  });

  test('YAML 1.2 core: no dates, no merge, no custom tags, no octal surprises', () => {
    expect(readYaml('date: 2020-01-01\non: yes\nmode: 0777\nx: !foo bar\n<<: {a: 1}').frontMatter).toEqual({
      date: '2020-01-01',
      on: 'yes',
      mode: 777,
      x: 'bar',
      '<<': { a: 1 },
    });
  });

  test('a quoted text that continues at the start of a line is read as the reference product reads it', () => {
    const block = 'title: "Start"\ndescription: "One line\nand another"\nsidebarTitle: \'It\'\'s\n\nhere\'';
    expect(readYaml(block)).toEqual({
      frontMatter: { title: 'Start', description: 'One line and another', sidebarTitle: "It's\nhere" },
      fault: null,
    });
  });

  test('text that neither parser accepts is an error with its line and the message of the strict parser', () => {
    const { frontMatter, fault } = readYaml('title: A\ndescription: a: b');
    expect(frontMatter).toEqual({});
    expect(fault?.line).toBe(3);
  });

  test('a text that exceeds the stack of the parser is reported as nested too deeply', () => {
    const { fault } = readFrontMatter(`---\nx: ${'['.repeat(15_000)}${']'.repeat(15_000)}\n---\nBody`);
    expect(fault?.message).toBe('The front matter was ignored: it is nested too deeply or too large.');
  });

  test('hostile YAML ends at once, without an exception', () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x]\n${'bcdefgh'
      .split('')
      .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefg'[index]}`).join(',')}]`)
      .join('\n')}`;
    const texts = [
      bomb,
      'a: &a [*a]',
      '['.repeat(30_000),
      `a: ${'['.repeat(4000)}${']'.repeat(4000)}`,
      '- '.repeat(15_000),
      '? '.repeat(15_000),
      'a: '.repeat(10_000),
      '&a '.repeat(10_000),
      '!!'.repeat(16_000),
      '"'.repeat(32_000),
      Array.from({ length: 6000 }, (_, index) => `k${index}:`).join('\n'),
      `a: ${' '.repeat(32_000)}b`,
      `title: x${'\n'.repeat(32_000)}`,
      'x'.repeat(1_000_000),
    ];
    for (const text of texts) {
      expect(cpuTime(() => readFrontMatter(`---\n${text}\n---\nBody`))).toBeLessThan(30_000);
    }
  });

  test('__proto__ is dropped at every depth', () => {
    const { frontMatter } = readYaml('__proto__:\n  polluted: 1\na:\n  __proto__: {b: 2}\nconstructor: c');
    expect(Object.keys(frontMatter)).toEqual(['a', 'constructor']);
    expect(frontMatter.polluted).toBeUndefined();
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('any text is read without an exception, and body and lines fit the text', () => {
    const unit = fc.constantFrom(
      '---',
      '\n',
      '\n',
      'a: ',
      'b',
      '"',
      "'",
      '[',
      ']',
      '{',
      '}',
      '#',
      ' ',
      ': ',
      '&x ',
      '*x',
      '!',
      '|',
      '>',
      '\r\n',
      '+++',
      '\t',
      '%',
      '\u{1f600}',
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 40 }), (parts) => {
        const text = `---\n${parts.join('')}`;
        const { body, bodyLine } = readFrontMatter(text);
        expect(text.endsWith(body)).toBe(true);
        const before = text.slice(0, text.length - body.length);
        expect(before.split('\n').length - 1).toBe(bodyLine);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the plain reader', () => {
  test('reads what the YAML parser reads, or leaves it to the parser', () => {
    const word = fc.constantFrom(
      'a',
      'Title',
      'true',
      'null',
      'No',
      '0',
      '12',
      '007',
      '-',
      ':',
      '#',
      "'",
      '"',
      '[',
      ']',
      '{',
      ',',
      '&',
      '*',
      '!',
      '|',
      '>',
      '%',
      '@',
      '`',
      '\\',
      '?',
      'é',
      '漢',
      '~',
      '.5',
      '1e3',
      '0x1F',
      ' ',
    );
    const value = fc.array(word, { maxLength: 5 }).map((words) => words.join(''));
    const quoted = fc.oneof(
      value,
      value.map((text) => `"${text}"`),
      value.map((text) => `'${text}'`),
      fc
        .array(
          value.map((text) => `"${text}"`),
          { maxLength: 3 },
        )
        .map((list) => `[${list.join(', ')}]`),
    );
    const key = fc.constantFrom(
      'title',
      'og:image',
      'a-b',
      'x_1',
      'true',
      'null',
      '"k"',
      '1',
      '? a',
      '- a',
      ' in',
      'toString',
      '',
    );
    const line = fc.oneof(
      fc.tuple(key, fc.constantFrom(': ', ':', ' : ', ':  ', ':\t'), quoted).map((parts) => parts.join('')),
      quoted,
      fc.constantFrom('', '  ', '# note', '  more', '...', '---'),
    );
    let read = 0;
    fc.assert(
      fc.property(fc.array(line, { maxLength: 5 }), fc.constantFrom('\n', '\r\n'), (lines, end) => {
        const block = lines.join(end);
        const fields = readPlainFields(block, 'yaml');
        if (fields === null) return;
        read++;
        expect(readYaml(block)).toEqual({ frontMatter: fields, fault: null });
      }),
      { numRuns: 10_000 },
    );
    expect(read).toBeGreaterThan(500);
  });
});
