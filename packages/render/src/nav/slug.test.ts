import { expect, test } from 'vitest';
import { operationSlug, slugify } from './slug.ts';

/*
 * The rule of the format, in this order: spaces and `{...}` become hyphens, hyphens at the ends are cut, `{}(),.'`, line
 * ends and slashes are removed, each pair of hyphens becomes one, and letters lower case. Without a summary, method and path.
 */
test.each([
  // Summaries
  ['List users', 'list-users'],
  ['list users', 'list-users'],
  ['LIST USERS', 'list-users'],
  ['Create a User', 'create-a-user'],
  ['  List users  ', 'list-users'],
  ['List  all   users', 'list-all-users'],
  ['List\tusers', 'list-users'],
  ['List\nusers', 'list-users'],
  ['List\r\nusers', 'list-users'],
  ['List - users', 'list--users'],
  ['List -- users', 'list--users'],
  ['-List users-', 'list-users'],
  ['--List users--', 'list-users'],
  ['List users.', 'list-users'],
  ['List users (v2)', 'list-users-v2'],
  ['(Beta) List users', 'beta-list-users'],
  ["List a user's keys", 'list-a-users-keys'],
  ['Get users, teams and roles', 'get-users-teams-and-roles'],
  ['Get user/team', 'get-userteam'],
  ['Get user / team', 'get-user-team'],
  ['v1.2 List', 'v12-list'],
  ['Get {id} now', 'get--now'],
  ['{id} first', 'first'],
  ['last {id}', 'last'],
  ['a{id}b', 'a-b'],
  ['Get {user id} and {team}', 'get--and'],
  ['Get {id', 'get-id'],
  ['Get id}', 'get-id'],
  ['snake_case name', 'snake_case-name'],
  ['kebab-case name', 'kebab-case-name'],
  ['camelCase', 'camelcase'],
  ['Rooms & chat', 'rooms-&-chat'],
  ['A + B', 'a-+-b'],
  ['50 items', '50-items'],
  ['Größe ändern', 'größe-ändern'],
  ['ÉTAT', 'état'],
  ['日本 語', '日本-語'],
  ['Привет Мир', 'привет-мир'],
  ['a .', 'a-'],
  ['. a', '-a'],
  ['a..b', 'ab'],
  // Characters with a meaning in URLs and file names go with the punctuation.
  ['What is this?', 'what-is-this'],
  ['50% off', '50-off'],
  ['C# client', 'c-client'],
  ['a:b*c|d<e>f"g', 'abcdefg'],
  ['a\\b`c', 'abc'],
  ['a/../b', 'ab'],
  ['a\u0000b', 'ab'],
])('the slug of the summary %j is %j', (summary, slug) => {
  expect(operationSlug('GET', '/never', summary)).toBe(slug);
});

test.each([
  // Without a usable summary
  ['GET', '/users', null, 'get-users'],
  ['POST', '/users', null, 'post-users'],
  ['GET', '/users/', null, 'get-users'],
  ['GET', '/users/{id}', null, 'get-users'],
  ['DELETE', '/users/{id}/keys/{key}', null, 'delete-users-keys'],
  ['GET', '/users/{id}.json', null, 'get-users-json'],
  ['GET', '/v1/users', null, 'get-v1users'],
  ['GET', '/user-keys', null, 'get-user-keys'],
  ['GET', '/user_keys', null, 'get-user_keys'],
  ['GET', '/', null, 'get'],
  ['GET', '/{id}', null, 'get'],
  ['QUERY', '/users', null, 'query-users'],
  ['COPY', '/users', null, 'copy-users'],
  ['WEBHOOK', 'userCreated', null, 'webhook-usercreated'],
  ['WEBHOOK', 'user.created', null, 'webhook-usercreated'],
  ['GET', '/users', '...', 'get-users'],
  ['GET', '/users', '{id}', 'get-users'],
])('the slug of %s %s with the summary %j is %j', (method, path, summary, slug) => {
  expect(operationSlug(method, path, summary)).toBe(slug);
});

test('a long text is cut, so that file names stay possible', () => {
  expect(slugify('a'.repeat(1000))).toHaveLength(200);
});
