/** What to do about a failed job by the code of its failure. */
const ADVICE: Readonly<Record<string, string>> = {
  model_auth: 'The model provider rejects the API key. Set a valid key in the agent settings of the project.',
  model_unavailable:
    'The model did not respond. Try again later, or choose another model in the agent settings.',
  context_overflow: 'The task exceeds the context window of the model. Ask for a smaller change.',
  budget: 'The token or cost limit was reached. Any changes are kept, and a follow-up continues from there.',
  timeout:
    'The time limit of a turn was reached. Any changes are kept, and a follow-up continues from there.',
  stuck: 'The agent made no progress. Describe the change more precisely, or name the files.',
  repo_unreachable: 'Check the URL, branch and folder of the Git source with the connection test.',
  repo_auth: 'The repository rejects the credential. Set one that can read and push.',
  repo_too_large: 'Set the docs folder of the project, or ask an operator for a higher limit.',
  branch_moved:
    'The branch changed and the new commits could not be merged. A follow-up starts from the current branch.',
  push_rejected:
    'The repository rejected the push. Check that the credential can push and that no rule protects the branch.',
  pr_rejected: 'The forge rejected the pull request. Check that the token can open one.',
  policy: 'The changes violate a rule of the project. A follow-up can revert them.',
  cancelled: 'Any changes are kept, and a follow-up continues from there.',
  internal: 'Try again. If it fails again, send the job id to an operator.',
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
