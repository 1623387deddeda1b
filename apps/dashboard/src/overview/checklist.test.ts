import { expect, test } from 'vitest';
import { type Holdings, nextStep, stepsOf } from './checklist.ts';

const nothing: Holdings = { projects: 0, completedExports: 0, keys: 0, members: 1, invitations: 0 };

test('leads an admin from a project to an export, a key and a second person', () => {
  let held = nothing;
  const next = () => nextStep(stepsOf(held, 'enterprise', 'admin'));
  expect(next()).toBe('project');
  held = { ...held, projects: 1 };
  expect(next()).toBe('export');
  held = { ...held, completedExports: 1 };
  expect(next()).toBe('key');
  held = { ...held, keys: 1 };
  expect(next()).toBe('invite');
  expect(nextStep(stepsOf({ ...held, invitations: 1 }, 'enterprise', 'admin'))).toBe(null);
  expect(nextStep(stepsOf({ ...held, members: 2 }, 'enterprise', 'admin'))).toBe(null);
});

test('names what blocks a step and suggests the step that is possible', () => {
  const steps = stepsOf({ ...nothing, projects: 1 }, 'free', 'admin');
  expect(steps[1]?.blocked).toContain('enterprise');
  expect(nextStep(steps)).toBe('key');
  expect(stepsOf(nothing, 'enterprise', 'admin')[1]?.blocked).toContain('project');
});

test('shows nobody a step that is not theirs to see', () => {
  expect(stepsOf(nothing, 'enterprise', 'editor').map(({ name }) => name)).toEqual(['project', 'export']);
  expect(nextStep(stepsOf(nothing, 'enterprise', 'viewer'))).toBe(null);
});
