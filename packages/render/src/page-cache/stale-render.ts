/** What an earlier render has left does not fit together. The render has to be repeated without it. */
export class StaleRenderError extends Error {
  override name = 'StaleRenderError';
  constructor() {
    super('what an earlier render has left does not fit together');
  }
}
