declare module 'subset-font' {
  interface Options {
    targetFormat: 'woff2';
    /** OpenType features that stay; by default all. */
    keepFeatures?: readonly string[];
    variationAxes?: Readonly<Record<string, { min: number; max: number; default: number }>>;
  }
  export default function subsetFont(font: Buffer, text: string, options: Options): Promise<Buffer>;
}
