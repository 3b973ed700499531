import type { DetectedFace, MeterAnswer } from '../../sdk/typescript/rest.js';
import type { Annotation } from './annotate.js';

const faceColour = '#0a7d38';
const okColour = '#1557b0';
const checkColour = '#b35900';

/** The parts of a face that are drawn, from REST or from a line of `npm run analyze`. */
export interface DrawnFace extends Pick<DetectedFace, 'bbox' | 'landmarks'> {
  readonly detection_score: string | number;
}

export function annotateFace({ bbox, detection_score: score, landmarks }: DrawnFace): Annotation {
  const dots = Object.values(landmarks ?? {});
  return { box: bbox, colour: faceColour, dots, text: [floor(Number(score), 2)] };
}

export function annotateMeter(meter: MeterAnswer): Annotation[] {
  const colour = meter.status === 'ok' ? okColour : checkColour;
  const { bbox: box, digits, value, unit, status, confidence } = meter;
  const isUpright = box.xmax - box.xmin >= box.ymax - box.ymin;
  const counter: Annotation = {
    box,
    corners: meter.polygon,
    colour,
    text: [`${value} ${unit} ${status} ${percent(confidence)}`],
    side: 'below',
  };
  return [
    counter,
    ...digits.map((digit): Annotation => ({
      box: digit.bbox,
      corners: digit.polygon,
      colour,
      text: [digit.digit, floor(digit.confidence * 100, 0)],
      side: isUpright ? 'above' : 'right',
    })),
  ];
}

/** From 99 on with a decimal: 0.9999 is more than 99 %. */
function percent(share: number): string {
  return `${floor(share * 100, share > 0.99 && share < 1 ? 1 : 0)}%`;
}

/** Rounded down, so that only certainty is 1. */
function floor(value: number, decimals: number): string {
  const scale = 10 ** decimals;
  // 0.29 * 100 is a little less than 29.
  return (Math.floor(value * scale + 1e-9) / scale).toFixed(decimals);
}
