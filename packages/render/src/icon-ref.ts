export type IconLibrary = 'fontawesome' | 'lucide' | 'tabler';

/** An icon as written: a library name, a path in the source, a URL, or inline SVG markup. */
export interface IconRef {
  name: string;
  /** Font Awesome style: solid, regular, brands... null = the default of the library. */
  style: string | null;
  library: IconLibrary | null;
}
