declare module 'subset-font' {
  /** What `scripts/fonts.ts` uses of the package, which has no types. */
  export default function subsetFont(
    font: Buffer,
    text: string,
    options: {
      targetFormat: 'woff2';
      variationAxes: Readonly<Record<string, { min: number; max: number }>>;
      keepFeatures: string[];
    },
  ): Promise<Buffer>;
}
