import type { JsonObject } from '../config/json.ts';

/** Where the page of an operation or channel of an API description is, as the description says. */
export interface DescribedPage {
  /** Segment of the URL for the first tag; null without a tag. */
  tagSlug: string | null;
  /** Labels of the groups for the first tag, outermost first; never empty. */
  groups: readonly string[];
  /** Segment of the URL for the operation or channel. */
  slug: string;
  /** `x-hidden`: has a page, but is not in the navigation. */
  hidden: boolean;
  /** `x-excluded`: has no page. */
  excluded: boolean;
  /** `x-mint`, where it is an object. */
  extension: JsonObject;
}
