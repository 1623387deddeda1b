/** One entry of the menu: a link, or a button that the script handles; `text` is what it copies. */
export interface MenuEntry {
  icon: string;
  title: string;
  about: string;
  action: { href: string; external: boolean; download: boolean } | { attribute: string; text?: string };
}
