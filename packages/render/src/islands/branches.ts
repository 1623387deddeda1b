import type { Run } from '../mdx/evaluate/run.ts';
import type { Node } from '../tree.ts';
import { attempt } from './attempt.ts';

/** Views of one component, and steps that one of them takes. */
const maxViews = 30;
const maxSteps = 50_000;

/**
 * What a component shows if one of its conditions goes the other way, with those that only then are reached. The
 * browser shows these views after a state change.
 */
export function otherViews(run: Run, evaluate: () => Node[]): Node[] {
  const planned = new Set<unknown>();
  const plans: ReadonlyMap<unknown, boolean>[] = [new Map()];
  const found: Node[] = [];
  run.host.aside(() => {
    for (let count = 0; count < maxViews && run.spare > 0; count++) {
      const plan = plans.shift();
      if (plan === undefined) return;
      const { nodes, outcomes } = viewAfter(plan, run, evaluate);
      if (plan.size > 0) for (const node of nodes) found.push(node);
      for (const [place, ways] of outcomes) {
        if (planned.has(place) || ways.size > 1) continue;
        planned.add(place);
        plans.push(new Map([...plan, [place, !ways.has(true)]]));
      }
    }
  });
  return found;
}

function viewAfter(
  plan: ReadonlyMap<unknown, boolean>,
  run: Run,
  evaluate: () => Node[],
): { nodes: Node[]; outcomes: Map<unknown, Set<boolean>> } {
  const outcomes = new Map<unknown, Set<boolean>>();
  let states = 0;
  const take = (place: unknown, natural: boolean): boolean => {
    const way = plan.get(place) ?? natural;
    outcomes.set(place, (outcomes.get(place) ?? new Set()).add(way));
    return way;
  };
  const { steps, branches } = run;
  const granted = Math.min(run.spare, maxSteps);
  run.branches = {
    take,
    state: (value) => (typeof value === 'boolean' ? take(`state ${states++}`, value) : value),
  };
  run.steps = granted;
  try {
    return { nodes: attempt(run, evaluate).nodes ?? [], outcomes };
  } finally {
    run.spare -= granted - Math.max(0, run.steps);
    run.steps = steps;
    run.branches = branches;
  }
}
