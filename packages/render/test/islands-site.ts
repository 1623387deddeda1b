import { FIXTURE, readFolder } from './output.ts';

/** The site with islands. TypeScript in it has another suffix, since it is none of the project's own. */
export function islandSite(): Record<string, Uint8Array> {
  const files = readFolder(FIXTURE.replace('/site/', '/islands/'));
  return Object.fromEntries(
    Object.entries(files).map(([path, content]) => [path.replace(/\.(tsx?)\.txt$/, '.$1'), content]),
  );
}
