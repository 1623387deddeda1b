import { sql } from 'kysely';

/**
 * Whether a row belongs to the projects to which the caller is limited (null: to none, so every row does), by its column
 * with the id of its project.
 */
export function isWithinProjects(projects: readonly string[] | null, column = 'project_id') {
  return projects === null
    ? sql<boolean>`true`
    : sql<boolean>`${sql.ref(column)} = ANY (${[...projects]}::text[])`;
}
