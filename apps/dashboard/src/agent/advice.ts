/** What to do about a failed job by the code of its failure. */
const ADVICE: Readonly<Record<string, string>> = {
  model_auth:
    'The provider refuses the key of the model. Set a valid one in the agent settings of the project.',
  model_unavailable:
    'The model did not answer. Try again in a while, or set another one in the agent settings.',
  context_overflow: 'The task is larger than the window of the model. Ask for less at a time.',
  budget: 'The limit of tokens or cost was reached. What was done is kept: a follow-up goes on from there.',
  timeout: 'The time of a turn was up. What was done is kept: a follow-up goes on from there.',
  stuck: 'The agent went in circles. Say more precisely what you want, or name the files.',
  repo_unreachable: 'Check the address, branch and folder of the Git source with its connection test.',
  repo_auth: 'The repository refuses the credential. Set one that may read and push.',
  repo_too_large: 'Point the project at the folder of the docs, or ask the operator for a higher limit.',
  branch_moved:
    'Somebody changed the branch in a way that cannot be joined. A follow-up starts from what is there.',
  push_rejected:
    'The repository refused the push. See that the credential may push and no rule protects the branch.',
  pr_rejected: 'The forge refused the pull request. See that its token may open one.',
  policy: 'The changes break a rule of the project. A follow-up can take them back.',
  cancelled: 'What was done is kept: a follow-up goes on from there.',
  internal: 'Try again. When it happens again, give the operator the id of the job.',
};

/** One or two sentences on the way out; null for a code that is not known. */
export function agentAdvice(code: string): string | null {
  return Object.hasOwn(ADVICE, code) ? (ADVICE[code] ?? null) : null;
}

/** Part of the settings of the project that holds the cure; null: none does. */
export function cureTab(code: string): 'source' | 'agent' | null {
  if (['repo_unreachable', 'repo_auth', 'repo_too_large'].includes(code)) return 'source';
  if (['model_auth', 'model_unavailable', 'push_rejected', 'pr_rejected', 'policy'].includes(code))
    return 'agent';
  return null;
}
