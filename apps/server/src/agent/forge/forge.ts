import { createGitea } from './gitea.ts';
import { createGithub } from './github.ts';
import { createGitlab } from './gitlab.ts';
import { createPlain } from './plain.ts';
import type { Forge, ForgeSettings } from './port.ts';
import type { ForgeOptions } from './request.ts';

export type { ForgeOptions };

/** The forge of one repository. Throws ForgeError `auth` when a private key cannot be read. */
export function createForge(settings: ForgeSettings, options: ForgeOptions): Forge {
  switch (settings.kind) {
    case 'github':
      return createGithub(settings, options);
    case 'gitlab':
      return createGitlab(settings, options);
    case 'gitea':
      return createGitea(settings, options);
    case 'git':
      return createPlain(settings);
  }
}
