/** One line of at most `max` code points, never empty. */
export function clipTitle(title: string, max: number): string {
  const line = title.replace(/\s+/g, ' ').trim() || 'Update the documentation';
  const points = Array.from(line);
  return points.length <= max
    ? line
    : `${points
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`;
}

/** A title that marks drafts by a prefix, as GitLab and Gitea do. */
export function markTitle(title: string, draft: boolean, prefix: string, max: number): string {
  const plain = clipTitle(unmarkTitle(title), draft ? max - prefix.length : max);
  return draft ? `${prefix}${plain}` : plain;
}

/** The title without such prefixes. */
export function unmarkTitle(title: string): string {
  return title.replace(/^(?:\s*(?:\[(?:draft|wip)\]|\(draft\)|(?:draft|wip):)\s*)+/i, '');
}

export function isMarked(title: string): boolean {
  return unmarkTitle(title) !== title;
}
