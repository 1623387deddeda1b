import { describe, expect, it } from 'vitest';
import type { HttpRequest } from '../request/types.ts';
import { findLanguage, sampleLanguages } from './index.ts';
import { hostile, sampleRequests } from './requests.fixture.ts';

const QUOTED = String.raw`"(?:\\.|[^"\\\n])*"`;
const SINGLE = String.raw`'(?:\\.|[^'\\\n])*'`;

/** Strings of each language as its grammar has them. */
const STRINGS: Readonly<Record<string, string>> = {
  bash: String.raw`(?:\$'(?:\\[^]|[^'\\])*'|'[^']*'|\\'|[^\s'\\]+)+`,
  python: String.raw`"""(?:\\[^]|(?!""")[^\\])*"""|${QUOTED}`,
  javascript: String.raw`\x60(?:\\[^]|(?!\$\{)[^\x60\\])*\x60|${SINGLE}`,
  php: String.raw`'(?:\\[^]|[^'\\])*'|"(?:\\.|[^"\\$\n])*"`,
  go: String.raw`\x60[^\x60]*\x60|${QUOTED}`,
  java: String.raw`"""\n(?:\\[^]|(?!""")[^\\])*"""|${QUOTED}`,
  ruby: String.raw`'(?:\\[^]|[^'\\])*'|"(?:\\.|(?!#[{$@])[^"\\\n])*"`,
  powershell: String.raw`'(?:['\u2018-\u201b]{2}|[^'\u2018-\u201b])*'|"(?:\x60[^]|\$\(\[char\]0x[\da-f]+\)|[^"\x60$\u201c-\u201e])*"`,
  swift: String.raw`(#+)"""\n[^]*?\n"""\1|"(?:\\[^(]|[^"\\\n])*"`,
  csharp: String.raw`("{3,})\n[^]*?\n\2(?!")|${QUOTED}`,
  c: String.raw`R"body\([^]*?\)body"|(?:\s*${QUOTED})+`,
  kotlin: String.raw`"""(?:\$\{'\$'\}|(?!""")[^$])*"""|"(?:\\.|[^"\\$\n])*"`,
  rust: String.raw`r(#+)"[^]*?"\1|${QUOTED}`,
  dart: String.raw`r'''[^]*?'''|'(?:\\.|[^'\\$\n])*'`,
};
const SAME: Readonly<Record<string, string>> = {
  ...{ node: 'javascript', typescript: 'javascript', dotnet: 'csharp', 'c++': 'c' },
};

/** Code without its strings. */
function codeOf(key: string, sample: string): string {
  const pattern = (STRINGS[SAME[key] ?? key] ?? '').replace('\\2', '\\1');
  // Strings of several lines may be joined.
  const code = sample.replace(new RegExp(pattern, 'gu'), ' S').replace(/\s+/g, ' ');
  // A setting of Rust that only unusual names of parts need.
  return code.replace(/ S(?: \+ S)+/g, ' S').replace(' .percent_encode_noop()', '');
}

/** A request with a text in each of its places. */
function requests(text: string): HttpRequest[] {
  const request: HttpRequest = {
    ...{ method: 'POST', url: 'https://a.test/', cookies: [], headers: [['X-A', 'b']] },
    body: { kind: 'text', text },
  };
  const part = { name: 'a', text, file: null, type: null };
  return [
    request,
    { ...request, headers: [['X-A', text.replace(/[^ -~]/gu, '') || 'b']] },
    { ...request, body: { kind: 'form', pairs: [[text, text]] } },
    { ...request, body: { kind: 'file', file: text } },
    { ...request, body: { kind: 'multipart', parts: [part, { ...part, name: text }] } },
    { ...request, body: { kind: 'multipart', parts: [{ ...part, name: 'b', text: null, file: text }] } },
    { ...request, body: { kind: 'multipart', parts: [{ ...part, type: 'text/x-a' }, part] } },
  ];
}

describe('code samples', () => {
  it('exist in eighteen languages with names that differ', () => {
    expect(sampleLanguages).toHaveLength(18);
    const names = sampleLanguages.flatMap(({ key, aliases }) => [key, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
    expect(findLanguage(' cURL ')?.key).toBe('bash');
    expect(findLanguage('CPP')?.key).toBe('c++');
    expect(findLanguage('cobol')).toBeNull();
  });

  it('name the content type of a multipart body with files, or say that they cannot send it', () => {
    const photo = { name: 'a', text: null, file: 'a.png', type: null };
    const request: HttpRequest = {
      ...{ method: 'POST', url: 'https://a.test/', cookies: [], headers: [] },
      body: { kind: 'multipart', parts: [photo], type: 'multipart/mixed' },
    };
    for (const { key, write } of sampleLanguages) {
      const sample = write(request);
      expect(sample, key).toContain('multipart/mixed');
      const isNote = sample.includes('Use the cURL command');
      expect(
        sample.split('\n').every((line) => /^(?:#|\/\/) /.test(line)),
        key,
      ).toBe(isNote);
      if (!isNote) expect(sample, key).not.toContain('multipart/form-data');
    }
    expect(findLanguage('curl')?.write(request)).toContain("--header 'Content-Type: multipart/mixed'");
    expect(findLanguage('python')?.write(request)).toMatch(/^# This client can send files/);
    expect(findLanguage('js')?.write(request)).toMatch(/^\/\/ This client can send files/);
  });

  for (const language of sampleLanguages) {
    it(`in ${language.label} keep every text inside of its string`, () => {
      const plain = requests('abc').map((request) => codeOf(language.key, language.write(request)));
      for (const text of hostile) {
        const code = requests(text).map((request) => codeOf(language.key, language.write(request)));
        expect(code, JSON.stringify(text)).toEqual(plain);
      }
    });
  }

  it('show every character', () => {
    for (const language of sampleLanguages) {
      for (const request of sampleRequests('https://a.test'))
        expect(language.write(request)).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\p{Cf}\u2028\u2029]/u);
    }
  });

  const request: HttpRequest = {
    ...{ method: 'POST', url: 'https://api.test/users?a=b', cookies: [['session', '1']] },
    headers: [
      ['Authorization', 'Bearer <token>'],
      ['Content-Type', 'application/json'],
    ],
    body: { kind: 'text', text: '{\n  "name": "Ann"\n}' },
  };
  const sample = (name: string, of: HttpRequest) => {
    const language = findLanguage(name);
    return language === null ? null : language.write(of);
  };

  it('read well in Bash', () => {
    expect(sample('curl', request)).toBe(`curl --request POST \\
  --url 'https://api.test/users?a=b' \\
  --header 'Authorization: Bearer <token>' \\
  --header 'Content-Type: application/json' \\
  --cookie 'session=1' \\
  --data-raw '{
  "name": "Ann"
}'`);
  });

  it('read well in JavaScript', () => {
    expect(sample('js', request)).toBe(`const options = {
  method: 'POST',
  headers: {
    Authorization: 'Bearer <token>',
    'Content-Type': 'application/json',
    Cookie: 'session=1'
  },
  body: JSON.stringify({
    "name": "Ann"
  })
};

const response = await fetch('https://api.test/users?a=b', options);
console.log(await response.text());`);
  });

  it('read well in Python', () => {
    expect(sample('python', request)).toBe(`import requests

url = "https://api.test/users?a=b"
headers = {
    "Authorization": "Bearer <token>",
    "Content-Type": "application/json",
    "Cookie": "session=1"
}
payload = {
    "name": "Ann"
}

response = requests.post(url, headers=headers, json=payload)
print(response.text)`);
  });

  it('show a URL whose parameters have no value', () => {
    const url = 'https://api.test/users/{id}';
    expect(sample('curl', { ...request, method: 'GET', url, headers: [], cookies: [], body: null })).toBe(
      `curl --request GET \\\n  --globoff \\\n  --url '${url}'`,
    );
  });
});
