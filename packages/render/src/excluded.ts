/**
 * Features that an export leaves out, each with the reason as one sentence for the author. Default: nothing is left
 * out.
 *
 * - `search`: no search box and no index
 * - `assistant`: no entry or button that leads to an assistant of another host, and no text of the configuration that
 *   invites to ask one; what pages say and link to stays
 * - `analytics`: what docs.json sets up for it is named as excluded (an export never loads it)
 * - `playground`: no form to send requests of the API, and no byte of it
 */
export type Excluded = Readonly<Partial<Record<'search' | 'assistant' | 'analytics' | 'playground', string>>>;

/** Code of the warning for what the source sets up and the export leaves out. */
export const FEATURE_EXCLUDED = 'feature-excluded';
