import { createGitea } from './gitea.ts';
import { createGithub } from './github.ts';
import { createGitlab } from './gitlab.ts';
import { createPlain } from './plain.ts';
import { type Forge, type ForgeApiSettings, ForgeError, type ForgeSettings } from './port.ts';
import { type ForgeOptions, waitFor } from './request.ts';

export type { ForgeOptions };

/** Forges process a push asynchronously; this is how long they are given. */
const AFTER_PUSH_MS = 3000;

/** The forge of one repository. Throws ForgeError `auth` when a private key cannot be read. */
export function createForge(settings: ForgeSettings, options: ForgeOptions): Forge {
  if (settings.kind === 'git') return createPlain(settings);
  const forge = createClient(settings, options);
  return {
    ...forge,
    async createPullRequest(request, signal) {
      try {
        return await forge.createPullRequest(request, signal);
      } catch (error) {
        const isEarly =
          error instanceof ForgeError && (error.fault === 'branch-missing' || error.fault === 'no-commits');
        if (!isEarly) throw error;
        await waitFor(options, AFTER_PUSH_MS, signal);
        return forge.createPullRequest(request, signal);
      }
    },
  };
}

function createClient(settings: ForgeApiSettings, options: ForgeOptions): Forge {
  switch (settings.kind) {
    case 'github':
      return createGithub(settings, options);
    case 'gitlab':
      return createGitlab(settings, options);
    case 'gitea':
      return createGitea(settings, options);
  }
}
