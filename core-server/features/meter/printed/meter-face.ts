import type { RgbPicture, Size } from '../../../image/picture.js';
import { angleOf, centerOf, type Quad, sizeOf } from '../geometry.js';
import { sampleQuad } from './sample-quad.js';

/** The print around a counter. */
export interface MeterFace {
  /** A square, with the counter level in its middle. */
  readonly picture: RgbPicture;
  /** The counter in it. */
  readonly counter: Quad;
}

/** Side of the square in counter widths: what is printed further away belongs to something else. */
const widths = 3.6;
/** Small print needs more pixels than wheels; the text detector's memory grows with them. */
const maxSide = 960;
/** Larger, pixels would only be repeated. */
const maxScale = 3;

/** Cuts the face of a meter out of its picture. */
export function cutMeterFace(picture: RgbPicture, counter: Quad): MeterFace {
  const { width, height } = sizeOf(counter);
  const pixels = Math.max(width * widths, height * 2, 1);
  const side = Math.round(Math.min(maxSide, pixels * maxScale));
  const center = centerOf(counter);
  const angle = angleOf(counter);
  const corner = (s: number, t: number) => ({
    x: center.x + (pixels / 2) * (s * Math.cos(angle) - t * Math.sin(angle)),
    y: center.y + (pixels / 2) * (s * Math.sin(angle) + t * Math.cos(angle)),
  });
  const square: Quad = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
  const scale = side / pixels;
  return {
    picture: sampleQuad(picture, square, { width: side, height: side }),
    counter: levelBox({ width: side, height: side }, width * scale, height * scale),
  };
}

/** A level box of that size in the middle of the picture. */
function levelBox(picture: Size, width: number, height: number): Quad {
  const left = (picture.width - width) / 2;
  const top = (picture.height - height) / 2;
  const [right, bottom] = [left + width, top + height];
  return [
    { x: left, y: top },
    { x: right, y: top },
    { x: right, y: bottom },
    { x: left, y: bottom },
  ];
}
