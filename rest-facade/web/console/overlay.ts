import type { Box, Face, Reading } from './api.js';
import { svg } from './dom.js';

/** Widths and text are parts of the picture's longer side, so that they look alike on every picture. */
const lineShare = 0.004;
const textShare = 0.026;

/** Draws faces: a box with its score, and the landmarks where they are there. */
export function drawFaces(overlay: SVGSVGElement, faces: readonly Face[], size: Size): void {
  prepare(
    overlay,
    size,
    `${faces.length === 1 ? '1 face is' : `${faces.length} faces are`} marked`,
  );
  faces.forEach((face, index) => {
    const group = svg('g', { class: 'face', 'data-index': index });
    group.append(drawBox(face.bbox, size));
    for (const { x, y } of Object.values(face.landmarks ?? {})) {
      const reach = Math.max(face.bbox.xmax - face.bbox.xmin, face.bbox.ymax - face.bbox.ymin);
      group.append(svg('circle', { class: 'point', cx: x, cy: y, r: reach * 0.018 + 0.5 }));
    }
    group.append(drawLabel(Number(face.detection_score).toFixed(2), face.bbox, size));
    overlay.append(group);
  });
}

/** Draws a reading: the counter, and each digit with what was read above it. */
export function drawReading(overlay: SVGSVGElement, reading: Reading, size: Size): void {
  prepare(overlay, size, `The counter is marked, its digits are ${reading.meter_number}`);
  if (reading.bbox) overlay.append(drawBox(reading.bbox, size));
  reading.digits.forEach(({ digit, confidence, bbox }, index) => {
    if (!bbox) return;
    const height = Math.min(bbox.ymax - bbox.ymin, size.height * 0.12) * 0.62;
    const doubt = confidence < 0.9 ? ' doubtful' : '';
    overlay.append(
      svg(
        'g',
        { class: `digit${doubt}`, 'data-index': index },
        drawBox(bbox, size, lineShare / 2),
        svg(
          'text',
          {
            class: 'read',
            x: (bbox.xmin + bbox.xmax) / 2,
            y: Math.max(bbox.ymin - height * 0.35, height * 0.8),
            'font-size': height,
            'text-anchor': 'middle',
          },
          digit,
        ),
      ),
    );
  });
}

/** Marks one face or digit among the others. */
export function highlight(overlay: SVGSVGElement, index: number | undefined): void {
  for (const group of overlay.querySelectorAll('g[data-index]'))
    group.classList.toggle('marked', group.getAttribute('data-index') === String(index));
}

export function clearOverlay(overlay: SVGSVGElement): void {
  overlay.replaceChildren();
  overlay.setAttribute('aria-label', 'Nothing is drawn yet');
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

function prepare(overlay: SVGSVGElement, { width, height }: Size, label: string): void {
  overlay.replaceChildren();
  overlay.setAttribute('viewBox', `0 0 ${width} ${height}`);
  overlay.setAttribute('aria-label', label);
}

function drawBox({ xmin, ymin, xmax, ymax }: Box, size: Size, share = lineShare): SVGRectElement {
  const line = Math.max(size.width, size.height) * share;
  return svg('rect', {
    class: 'box',
    x: xmin,
    y: ymin,
    width: xmax - xmin,
    height: ymax - ymin,
    rx: line * 1.5,
    'stroke-width': line,
  });
}

/** A score on a plate above the box, or inside it where there is no room above. */
function drawLabel(text: string, box: Box, size: Size): SVGGElement {
  const height = Math.max(size.width, size.height) * textShare;
  const width = height * 0.62 * text.length + height * 0.5;
  const x = Math.min(box.xmin, size.width - width);
  const y = box.ymin >= height * 1.45 ? box.ymin - height * 1.45 : box.ymin;
  return svg(
    'g',
    { class: 'label' },
    svg('rect', { x, y, width, height: height * 1.3, rx: height * 0.25 }),
    svg(
      'text',
      { x: x + width / 2, y: y + height * 0.98, 'font-size': height, 'text-anchor': 'middle' },
      text,
    ),
  );
}
