import type { Component } from './component.ts';

/** Built-in components by the name written in MDX (`Card`, `Tree.Folder`). No prototype: look-ups are safe with any name. */
export const components: Readonly<Record<string, Component>> = Object.freeze(
  Object.assign(Object.create(null), {}),
);
