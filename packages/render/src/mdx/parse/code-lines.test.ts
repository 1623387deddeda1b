import { describe, expect, test } from 'vitest';
import { warningsOf } from './warnings.fixture.ts';

describe('a line that is too long for its formatting', () => {
  const line = `é ${'*a* '.repeat(20_000)}`;
  test('is reported', () => {
    expect(warningsOf(`a\n\n${line}\n`)).toMatchObject([{ code: 'page-too-complex', line: 3 }]);
  });
  test('is not reported in a code block', () => {
    expect(warningsOf(`a\n\n\`\`\`\n${line}\n\`\`\`\n\nb\n`)).toEqual([]);
  });
  test('is reported if one of several is not in a code block', () => {
    const text = `\`\`\`\n${line}\n\`\`\`\n\nb\n\n${line}\n\n\`\`\`\n${line}\n\`\`\`\n`;
    expect(warningsOf(text)).toMatchObject([{ code: 'page-too-complex', line: 7 }]);
  });
});
