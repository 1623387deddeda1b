import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { shellWord } from './printable.ts';

test.each(['docs', './my docs', "it's", '$(exit 1)', '`a`', 'a;b', '*', '', '\\n'])(
  'a shell reads %j back from the word that a message prints',
  (text) => {
    const read = execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' });
    expect(read).toBe(text);
  },
);
