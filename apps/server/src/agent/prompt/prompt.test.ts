import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { findInstructions, findPullRequestTemplate, MAX_INSTRUCTION_BYTES } from './project-instructions.ts';
import { systemPrompt } from './system.ts';

const reader = (files: Record<string, string>) => {
  const asked: string[] = [];
  return {
    asked,
    read: async (path: string) => {
      asked.push(path);
      return files[path] ?? null;
    },
  };
};

describe('instructions of a repository', () => {
  test('are the first file by name, of the docs folder before the root', async () => {
    const files = {
      '.offprint/AGENTS.md': 'root, ours',
      'site/.mintlify/AGENTS.md': 'docs, compatible',
      '.mintlify/Agents.md': 'root, compatible',
    };
    const found = await findInstructions(reader(files).read, 'site');
    expect(found).toEqual({
      text: 'root, ours',
      path: '.offprint/AGENTS.md',
      sha256: createHash('sha256').update('root, ours').digest('hex'),
    });
    const { '.offprint/AGENTS.md': _, ...compatible } = files;
    expect((await findInstructions(reader(compatible).read, 'site'))?.path).toBe('site/.mintlify/AGENTS.md');
    expect((await findInstructions(reader(compatible).read, ''))?.path).toBe('.mintlify/Agents.md');
  });

  test('are never those for other agents, nor those that every reader of the site would see', async () => {
    const others = ['AGENTS.md', 'CLAUDE.md', '.cursorrules', '.github/copilot-instructions.md', 'GEMINI.md'];
    const { read, asked } = reader(Object.fromEntries(others.map((path) => [path, 'obey'])));
    expect(await findInstructions(read, 'docs')).toBeNull();
    expect(asked.filter((path) => !/(^|\/)\.(offprint|mintlify)\/agents\.md$/i.test(path))).toEqual([]);
  });

  test('are cut at 32 KB, never inside a character, with the digest of the whole', async () => {
    const text = 'é'.repeat(20_000);
    const found = await findInstructions(reader({ '.offprint/AGENTS.md': text }).read, '');
    expect(Buffer.byteLength(found?.text ?? '')).toBeLessThan(MAX_INSTRUCTION_BYTES + 100);
    expect(found?.text).toMatch(/^é+\n\[truncated after 32 KB\]\n$/);
    expect(found?.sha256).toBe(createHash('sha256').update(text).digest('hex'));
  });

  test('that are empty are none', async () => {
    expect(await findInstructions(reader({ '.offprint/AGENTS.md': ' \n' }).read, '')).toBeNull();
  });
});

test.each([
  '.github/pull_request_template.md',
  'docs/pull_request_template.md',
  '.gitlab/merge_request_templates/Default.md',
  '.gitea/pull_request_template.md',
])('the template of pull requests is found at %s', async (path) => {
  expect(await findPullRequestTemplate(reader({ [path]: '## Why' }).read)).toBe('## Why');
  expect(await findPullRequestTemplate(reader({}).read)).toBe('');
});

describe('the system prompt', () => {
  test('has what changes least first, so that calls of a turn and of a project share their beginning', () => {
    const bare = systemPrompt({ facts: '', instructions: '', template: '' });
    const full = systemPrompt({ facts: 'FACTS', instructions: 'RULES', template: 'SHAPE' });
    expect(full.startsWith(bare.trimEnd())).toBe(true);
    expect(full.indexOf('FACTS')).toBeLessThan(full.indexOf('RULES'));
    expect(full.indexOf('RULES')).toBeLessThan(full.indexOf('SHAPE'));
    expect(bare).not.toMatch(/Project instructions\n|Template of/);
  });

  test('fits beside the tools into small windows', () => {
    expect(systemPrompt({ facts: '', instructions: '', template: '' }).length).toBeLessThan(6_000);
  });
});
