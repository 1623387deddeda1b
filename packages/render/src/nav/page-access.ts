/** What the pages of a source say of their readers: enough to know which renders its readers need. */
export interface PageAccess {
  /** Names of groups that pages name, sorted. */
  groups: string[];
  /** Those of them whose members do not get a page (`excludes`). */
  excluding: string[];
  /** Whether pages need no sign-in. */
  hasPublic: boolean;
}

/** A page that is not for the readers of an export. */
export interface LeftOutPage {
  path: string;
  /** Its file, or the API description from which it would be made. */
  file: string;
}

/** Groups of one source; the pages that name more are in no render for groups. */
const MAX_GROUPS = 200;
const MAX_NAME = 200;

/** Collects the groups that pages name. */
export class GroupNames {
  readonly #names = new Set<string>();
  readonly #excluding = new Set<string>();

  /** `groups` of a front matter: names, or `{includes, excludes}`. */
  add(groups: unknown): void {
    for (const rule of Array.isArray(groups) ? groups : [groups]) {
      if (typeof rule === 'string') this.#put(this.#names, rule);
      if (typeof rule !== 'object' || rule === null) continue;
      const { includes, excludes }: { includes?: unknown; excludes?: unknown } = rule;
      for (const name of [includes].flat()) this.#put(this.#names, name);
      for (const name of [excludes].flat()) {
        this.#put(this.#names, name);
        this.#put(this.#excluding, name);
      }
    }
  }

  #put(to: Set<string>, name: unknown): void {
    if (typeof name === 'string' && name.length <= MAX_NAME && to.size < MAX_GROUPS) to.add(name);
  }

  list(): Pick<PageAccess, 'groups' | 'excluding'> {
    return { groups: [...this.#names].sort(), excluding: [...this.#excluding].sort() };
  }
}
