/** API descriptions, for programs that read them without rendering a page. */
export { type DescribedOperation, type Description, openDescriptions } from './nav/description.ts';
export {
  type ApiContent,
  type ApiOperation,
  type ApiParameter,
  type ApiScheme,
  memberOf,
  readOperation,
} from './reference/operation.ts';
export { type At, isReference } from './reference/resolver.ts';
export type { Schema, Schemas } from './reference/schema.ts';
export { memorySource, type SourceTree } from './source.ts';
