/** The limits of a picture. */
export interface ImageLimits {
  /** Bytes of the file. */
  readonly maxBytes: number;
  /** Width × height, from the header. */
  readonly maxPixels: number;
  /** Width or height in pixels, from the header. */
  readonly maxSide: number;
}
