import { type Forge, ForgeError, type ForgeSettings } from './port.ts';

/** A Git server and nothing beside it: a branch is pushed, and people take it from there. */
export function createPlain(settings: Extract<ForgeSettings, { kind: 'git' }>): Forge {
  const refuse = async (): Promise<never> => {
    throw new ForgeError(
      'rejected',
      'This repository is on a plain Git server without pull requests. If the server is a forge, set its kind and API URL on the project.',
    );
  };
  return {
    kind: 'git',
    hasPullRequests: false,
    gitCredential: async () => settings.credential,
    findPullRequest: async () => null,
    createPullRequest: refuse,
    updatePullRequest: refuse,
    // No API to ask; Git itself knows the default branch.
    protectedBranches: async () => [],
  };
}
